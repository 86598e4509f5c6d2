import { expect, it } from "vitest";
import type { Chain } from "../../../../ledger/chain/chain.ts";
import { Executor, type Plan } from "./executor.ts";
import { Turns } from "./turns.ts";

it("bounds the queue of waiting calls", async () => {
  const turns = new Turns(3);
  const waiting = Array.from({ length: 10_000 }, () => turns.next());
  await expect(turns.next()).rejects.toMatchObject({ rpcCode: -32005 });
  await Promise.all(waiting);
});

it("counts the time that a result will take: few long ones in a turn, also at the start", () => {
  const turns = new Turns(3);
  let executed = 0;
  for (; executed < 1_000 && turns.begin() !== undefined; executed++) {
    turns.charge(100);
    turns.end();
  }
  // three in the 250 ms of the first executions, and one in a turn
  expect(executed).toBe(4);
});

it("executes nothing for a caller that disconnected or timed out while waiting", async () => {
  const chain = { onHead: () => () => {} } as unknown as Chain;
  const threads = { run: () => Promise.reject(new Error("in a thread")) };
  const executor = new Executor({ chain, threads, sliceMs: 0.1, now: () => performance.now() });
  const caller = new AbortController();
  const work = {
    get kind(): never {
      for (const end = performance.now() + 260; performance.now() < end; );
      throw new Error("spent");
    },
  };
  const spend = () => ({ work, block: {}, stateNumber: 0n }) as unknown as Plan<never>;
  const ask = (signal: AbortSignal, timeMs: number, plan: () => Plan<never>) =>
    executor.outcomes(plan, { timeMs, context: { signal } });
  const { signal } = new AbortController();
  const spent = [1, 2].map(() => expect(ask(signal, 60_000, spend)).rejects.toThrow("spent"));
  const left = ask(caller.signal, 60_000, spend);
  const late = ask(signal, -1, spend);
  caller.abort();
  await Promise.all([
    ...spent,
    expect(left).rejects.toMatchObject({ rpcCode: -32005 }),
    expect(late).rejects.toMatchObject({ rpcCode: -32005 }),
  ]);
});
