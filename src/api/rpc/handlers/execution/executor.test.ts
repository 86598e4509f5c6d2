import { expect, it } from "vitest";
import type { Chain } from "../../../../ledger/chain/chain.ts";
import type { JobSources } from "../../../../ledger/execution/job.ts";
import { StateError } from "../../../../ledger/state/errors.ts";
import { Executor, type Plan } from "./executor.ts";
import type { JobThreads } from "./job-threads.ts";

/** An executor whose work in threads is overtaken by rewinds, of which no listener has been told yet. */
function setUp(rewinds: number) {
  const chain = {
    rewrites: 0,
    head: { header: { number: 3n } },
    stateAt: () => ({ account: () => undefined }),
  };
  let runs = 0;
  const run = async (_: unknown, { state }: JobSources) => {
    if (runs++ < rewinds) chain.rewrites++;
    try {
      return [{ value: state.account(new Uint8Array(20)) ?? "read" }];
    } catch (error) {
      return [{ error }];
    }
  };
  const threads = { run } as unknown as JobThreads;
  const executor = new Executor({ chain: chain as unknown as Chain, threads, sliceMs: 0, now: () => 0 });
  const work = { kind: "call", request: {} };
  const plan = () => ({ work, block: { context: {} }, stateNumber: 3n }) as unknown as Plan<never>;
  const { signal } = new AbortController();
  const ask = (timeMs: number) => executor.outcomes(plan, { timeMs, context: { signal } as never });
  return { ask, runs: () => runs };
}

it("starts over when blocks are removed or states edited while a thread reads, even before that is announced", async () => {
  const { ask, runs } = setUp(20);
  expect(await ask(60_000)).toEqual([{ value: "read" }]);
  expect(runs()).toBe(21);
});

it("gives up when the time is over", async () => {
  const { ask } = setUp(Number.POSITIVE_INFINITY);
  const [outcome] = (await ask(50)) as readonly { readonly error: StateError }[];
  expect(outcome?.error).toBeInstanceOf(StateError);
  expect(outcome?.error.code).toBe("STATE_STALE");
});
