import { expect, vi } from "vitest";
import { BlockTurns } from "../../../ledger/execution/jobs/block-executor.ts";
import { TimeSlice } from "../../../platform/runtime/turns/time-slice.ts";

/** Block turns in which each transaction waits until `open` is called for it, and is then executed on this thread. */
export function heldTurns() {
  const held: (() => void)[] = [];
  const run = () => new Promise<[]>((resolve) => held.push(() => resolve([])));
  const { signal } = new AbortController();
  const turns = new BlockTurns({ slice: new TimeSlice(), threads: { run }, sliceMs: 0, signal });
  const begun = () => vi.waitFor(() => held[0] ?? expect.fail("nothing is held"), { timeout: 10_000 });
  const open = () =>
    vi.waitFor(() => (held.shift() ?? expect.fail("nothing is held"))(), { timeout: 10_000 });
  return { turns, begun, open };
}
