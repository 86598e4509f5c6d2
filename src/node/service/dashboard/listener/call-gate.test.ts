import { expect, it } from "vitest";
import { CallGate } from "./call-gate.ts";

it("admits calls up to the limit, and further ones once those are answered", async () => {
  const gate = new CallGate(2);
  const ends: (() => void)[] = [];
  const slow = () => gate.answer(() => new Promise<string>((resolve) => ends.push(() => resolve("done"))));
  const first = slow();
  expect(slow()).toBeInstanceOf(Promise);
  expect(slow()).toBeUndefined();
  expect(gate.answer(() => "at once")).toBeUndefined();
  ends[0]?.();
  expect(await first).toBe("done");
  expect(gate.answer(() => "at once")).toBe("at once");
  expect(gate.answer(() => "at once")).toBe("at once");
  expect(slow()).toBeInstanceOf(Promise);
  expect(slow()).toBeUndefined();
});
