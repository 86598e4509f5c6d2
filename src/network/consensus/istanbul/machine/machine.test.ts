import { describe, expect, it } from "vitest";
import { IstanbulMachine } from "./machine.ts";
import type { MachineFacts, MachineMessage, VoteMessage } from "./types.ts";

const MEMBERS = ["0", "1", "2", "3"];
const BLOCK = { digest: "block", number: 5 };

/** Facts of four validators who propose by turns, to whom all blocks are right and nothing was said before. */
function facts(own: Partial<MachineFacts> = {}): MachineFacts {
  return {
    committee: (sequence, round) => ({
      ...{ proposer: MEMBERS[(sequence + round) % 4] as string, members: new Set(MEMBERS) },
      ...{ quorum: 3, faults: 1 },
    }),
    verdict: () => "right",
    isBad: () => false,
    isOnChain: () => false,
    mayVote: () => true,
    ...own,
  };
}

const preprepare: MachineMessage = { kind: "preprepare", from: "1", sequence: 5, round: 0, proposal: BLOCK };
const vote = (kind: VoteMessage["kind"], from: string): VoteMessage => ({
  ...{ kind, from, sequence: 5, round: 0, digest: BLOCK.digest },
});

describe("IstanbulMachine", () => {
  it("passes on what others said, and what itself said and a peer brings back never", () => {
    const machine = new IstanbulMachine<string>("0", 4, facts());
    machine.start();
    const relayed = (message: MachineMessage) =>
      machine
        .receive(message, "source")
        .effects.flatMap((effect) => (effect.do === "relay" ? [effect.source] : []));
    expect(relayed(preprepare)).toEqual(["source"]);
    expect(relayed(vote("prepare", "2"))).toEqual(["source"]);
    expect(relayed(vote("prepare", "0"))).toEqual([]);
    expect(machine.view.prepares).toEqual(new Set(["0", "2"]));
  });
});
