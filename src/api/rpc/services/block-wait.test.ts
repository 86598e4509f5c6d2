import { describe, expect, it } from "vitest";
import { createSimulatedRuntime } from "../../../platform/runtime/simulated.ts";
import { BlockWait } from "./block-wait.ts";

function createChain(number: bigint) {
  const listeners = new Set<() => void>();
  const head = { header: { number } };
  return {
    head,
    listeners,
    onHead(listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    grow(to: bigint) {
      head.header.number = to;
      for (const listener of listeners) listener();
    },
  };
}

describe("waiting for a block", () => {
  it("resolves immediately for a known block, otherwise when it arrives", async () => {
    const chain = createChain(5n);
    const runtime = createSimulatedRuntime();
    const blocks = new BlockWait(chain, runtime.timers);
    expect(blocks.reaches(5n)).toBe(true);
    const [seventh, ninth] = [blocks.reaches(7n), blocks.reaches(9n)];
    chain.grow(6n);
    chain.grow(8n);
    expect(await seventh).toBe(true);
    await runtime.advance(2_000);
    expect(await ninth).toBe(false);
    expect(runtime.scheduled).toBe(0);
  });

  it("bounds the waiting requests, and releases them when closed", async () => {
    const chain = createChain(0n);
    const runtime = createSimulatedRuntime();
    const blocks = new BlockWait(chain, runtime.timers, { ms: 1_000, max: 2 });
    const waiting = [blocks.reaches(1n), blocks.reaches(2n)];
    expect(blocks.reaches(1n)).toBe(false);
    chain.grow(1n);
    expect(await waiting[0]).toBe(true);
    expect(blocks.reaches(2n)).toBeInstanceOf(Promise);
    blocks.close();
    expect(await waiting[1]).toBe(false);
    expect([runtime.scheduled, chain.listeners.size]).toEqual([0, 0]);
  });
});
