import { expect, it } from "vitest";
import { ProposalGate } from "./proposal-gate.ts";

const held = (bytes: number) => ({
  passed: { previousHash: new Uint8Array(32), payload: new Uint8Array(bytes) },
  peer: { address: new Uint8Array(20), send: () => {} },
});

it("decodes two proposals per view", () => {
  const gate = new ProposalGate();
  const decoded = (round: number) => Array.from({ length: 4 }, () => gate.mayDecode({ sequence: 7, round }));
  expect(decoded(0)).toEqual([true, true, false, false]);
  expect(decoded(1)).toEqual([true, true, false, false]);
  gate.begin();
  expect(gate.mayDecode({ sequence: 7, round: 0 })).toBe(true);
});

it("lets only the first block of a view be executed, as often as it arrives", () => {
  const gate = new ProposalGate();
  const view = { sequence: 7, round: 0 };
  const checked = ["a", "b", "a", "c"].map((digest) => gate.mayCheck(view, digest));
  expect(checked).toEqual([true, false, true, false]);
  expect(gate.mayCheck({ ...view, round: 1 }, "b")).toBe(true);
});

it("checks the signatures of two proposals per peer and view, and of sixteen old ones", () => {
  const gate = new ProposalGate();
  const view = { sequence: 7, round: 0 };
  expect([1, 2, 3].map(() => gate.mayRead("a", view))).toEqual([true, true, false]);
  expect([gate.mayRead("b", view), gate.mayRead("a", { ...view, round: 1 })]).toEqual([true, true]);
  expect(Array.from({ length: 20 }, () => gate.mayReadOld("a")).filter(Boolean)).toHaveLength(16);
  const rounds = Array.from({ length: 100 }, (_, round) => gate.mayRead("c", { sequence: 7, round }));
  expect(rounds.filter(Boolean)).toHaveLength(64);
  gate.begin();
  expect([gate.mayRead("a", view), gate.mayReadOld("a")]).toEqual([true, true]);
});

it("holds the latest early proposal of each peer, 32 MiB in total", () => {
  const gate = new ProposalGate();
  expect([gate.hold("a", held(12 << 20)), gate.hold("b", held(12 << 20))]).toEqual([true, true]);
  expect([gate.hold("c", held(12 << 20)), gate.hold("a", held(1 << 20))]).toEqual([false, true]);
  expect(gate.hold("c", held(12 << 20))).toBe(true);
  expect(gate.begin().map(({ passed }) => passed.payload.length >> 20)).toEqual([1, 12, 12]);
  expect(gate.begin()).toEqual([]);
  expect(gate.hold("d", held(32 << 20))).toBe(true);
});
