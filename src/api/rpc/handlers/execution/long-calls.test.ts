import { describe, expect, it } from "vitest";
import type { CallRequest } from "../../../../ledger/execution/calls/call.ts";
import { LongCalls } from "./long-calls.ts";

const CONTRACT = new Uint8Array(20).fill(1);
const [CLIENT, OTHER] = [{}, {}];

function request(more: Partial<CallRequest> = {}): CallRequest {
  const input = Uint8Array.of(1, 2, 3, 4, 5);
  return { from: new Uint8Array(20), to: CONTRACT, value: 0n, gas: 1n, gasPrice: 0n, input, ...more };
}

describe("calls that take long", () => {
  it("are expected of the client whose call did, for the same method of the same contract", () => {
    const calls = new LongCalls();
    calls.note(request(), CLIENT);
    expect(calls.expects(request({ input: Uint8Array.of(1, 2, 3, 4, 9) }), CLIENT)).toBe(true);
    expect(calls.expects(request(), OTHER)).toBe(false);
    expect(calls.expects(request({ input: Uint8Array.of(1, 2, 3, 9) }), CLIENT)).toBe(false);
    expect(calls.expects(request({ to: new Uint8Array(20) }), CLIENT)).toBe(false);
    expect(calls.expects(request({ to: undefined }), CLIENT)).toBe(false);
  });

  it("are tried again after fifteen", () => {
    const calls = new LongCalls();
    calls.note(request(), "10.0.0.0/24");
    const expected = Array.from({ length: 16 }, () => calls.expects(request(), "10.0.0.0/24"));
    expect(expected).toEqual([...Array(15).fill(true), false]);
  });

  it("are forgotten, the oldest first, where there are many", () => {
    const calls = new LongCalls();
    const to = (n: number) => request({ to: Uint8Array.of(n >> 8, n & 255) });
    for (let n = 0; n < 1025; n++) calls.note(to(n), CLIENT);
    expect(calls.expects(to(0), CLIENT)).toBe(false);
    expect(calls.expects(to(1), CLIENT)).toBe(true);
  });
});
