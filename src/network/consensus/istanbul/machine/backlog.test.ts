import { expect, it } from "vitest";
import { Backlog } from "./backlog.ts";
import type { MachineMessage } from "./types.ts";

const NOW = { sequence: 5, round: 0 };

it("keeps the 256 nearest messages of a sender, including at most its four nearest proposals", () => {
  const backlog = new Backlog<undefined>();
  const add = (message: MachineMessage) => backlog.add({ message, source: undefined }, NOW);
  const proposal = { digest: "block", number: 5 };
  for (let round = 300; round > 0; round--) {
    add({ kind: "preprepare", from: "1", sequence: 5, round, proposal });
    add({ kind: "prepare", from: "1", sequence: 5, round, digest: "block" });
  }
  add({ kind: "preprepare", from: "2", sequence: 5, round: 9, proposal });
  const kept = backlog.take(() => "due").map(({ message }) => message);
  const rounds = (kind: string, from: string) =>
    kept.filter((message) => message.kind === kind && message.from === from).map(({ round }) => round);
  expect(rounds("preprepare", "1")).toEqual([1, 2, 3, 4]);
  expect(rounds("preprepare", "2")).toEqual([9]);
  expect(rounds("prepare", "1")).toEqual(Array.from({ length: 252 }, (_, i) => i + 1));
});
