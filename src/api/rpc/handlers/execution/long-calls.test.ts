import { describe, expect, it } from "vitest";
import type { CallRequest } from "../../../../ledger/execution/calls/call.ts";
import { LongCalls } from "./long-calls.ts";

const CONTRACT = new Uint8Array(20).fill(1);
const [CLIENT, OTHER] = [{}, {}];

function request(more: Partial<CallRequest> = {}): CallRequest {
  const input = Uint8Array.of(1, 2, 3, 4, 5);
  return { from: new Uint8Array(20), to: CONTRACT, value: 0n, gas: 1n, gasPrice: 0n, input, ...more };
}

describe("long calls", () => {
  it("are expected from the same client, for the same method of the same contract", () => {
    const calls = new LongCalls();
    calls.note(request(), CLIENT);
    expect(calls.expects(request({ input: Uint8Array.of(1, 2, 3, 4, 9) }), CLIENT)).toBe(true);
    expect(calls.expects(request(), OTHER)).toBe(false);
    expect(calls.expects(request({ input: Uint8Array.of(1, 2, 3, 9) }), CLIENT)).toBe(false);
    expect(calls.expects(request({ to: new Uint8Array(20) }), CLIENT)).toBe(false);
    expect(calls.expects(request({ to: undefined }), CLIENT)).toBe(false);
  });

  it("are retried on the main thread after 15 calls, then twice as many, at most 60", () => {
    const calls = new LongCalls();
    const between = Array.from({ length: 4 }, () => {
      calls.note(request(), "10.0.0.0/24");
      let count = 0;
      while (calls.expects(request(), "10.0.0.0/24")) count++;
      return count;
    });
    expect(between).toEqual([15, 30, 60, 60]);
    expect(calls.expects(request(), "10.0.0.0/24")).toBe(false);
  });

  it("are evicted, oldest first, when there are too many", () => {
    const calls = new LongCalls();
    const to = (n: number) => request({ to: Uint8Array.of(n >> 8, n & 255) });
    for (let n = 0; n < 1025; n++) calls.note(to(n), CLIENT);
    const kept = Array.from({ length: 1025 }, (_, n) => n).filter((n) => calls.expects(to(n), CLIENT));
    expect([kept[0], kept.length]).toEqual([17, 1008]);
  });
});
