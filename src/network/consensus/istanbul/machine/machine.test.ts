import { describe, expect, it } from "vitest";
import { IstanbulMachine } from "./machine.ts";
import type { Effect, MachineFacts, MachineMessage, ResumePoint, VoteMessage } from "./types.ts";

const MEMBERS = ["0", "1", "2", "3"];
const BLOCK = { digest: "block", number: 5 };
const OTHER = { digest: "other", number: 5 };

/** Facts of four validators who propose in turn, consider all blocks valid, and have not voted before. */
function facts(own: Partial<MachineFacts> = {}): MachineFacts {
  return {
    committee: (sequence, round) => ({
      ...{ proposer: MEMBERS[(sequence + round) % 4] as string, members: new Set(MEMBERS) },
      ...{ quorum: 3, faults: 1 },
    }),
    verdict: () => "valid",
    isBad: () => false,
    isOnChain: () => false,
    mayVote: () => true,
    ...own,
  };
}

const proposalOf = (proposal: typeof BLOCK, round = 0): MachineMessage => ({
  ...{ kind: "preprepare", from: MEMBERS[(5 + round) % 4] as string, sequence: 5, round, proposal },
});
const vote = (kind: VoteMessage["kind"], from: string, digest = "block", round = 0): VoteMessage => ({
  ...{ kind, from, sequence: 5, round, digest },
});
const roundChange = (from: string, round: number, sequence = 5): MachineMessage => ({
  ...{ kind: "roundChange", from, sequence, round },
});

/** The machine of validator 0 on block 4, with its effects as short lines. */
class Observed {
  readonly machine: IstanbulMachine<string>;
  readonly began: readonly string[];

  constructor(own: Partial<MachineFacts> = {}, resume?: ResumePoint) {
    this.machine = new IstanbulMachine("0", 4, facts(own), resume);
    this.began = this.machine.start().map(lineOf);
  }

  hear(...messages: readonly MachineMessage[]): string[] {
    return messages.flatMap((message) => this.machine.receive(message, message.from).effects.map(lineOf));
  }
}

function lineOf(effect: Effect<string>): string {
  if (effect.do === "startTimer") return `timer ${effect.sequence}/${effect.round}`;
  if (effect.do === "decide") return `decide ${effect.proposal.digest} by ${effect.sealsOf.join("")}`;
  const { message } = effect;
  const about =
    message.kind === "preprepare" ? message.proposal.digest : "digest" in message ? message.digest : "";
  return `${effect.do} ${[message.kind, message.from, `${message.sequence}/${message.round}`, about].join(" ").trim()}`;
}

describe("IstanbulMachine", () => {
  it("returns effects in order", () => {
    const observed = new Observed();
    expect(observed.began).toEqual(["timer 5/0"]);
    expect(observed.hear(proposalOf(BLOCK))).toEqual([
      "send prepare 0 5/0 block",
      "relay preprepare 1 5/0 block",
    ]);
    expect(observed.hear(vote("prepare", "1"), vote("prepare", "2"))).toEqual([
      "relay prepare 1 5/0 block",
      "send commit 0 5/0 block",
      "relay prepare 2 5/0 block",
    ]);
    expect(observed.hear(vote("commit", "3"), vote("commit", "2"))).toEqual([
      "relay commit 3 5/0 block",
      "decide block by 023",
      "relay commit 2 5/0 block",
    ]);
    expect(observed.machine.newHead(5).map(lineOf)).toEqual(["timer 6/0"]);
  });

  it("relays messages of others, never its own echoed ones", () => {
    const observed = new Observed();
    observed.hear(proposalOf(BLOCK));
    expect(observed.hear(vote("prepare", "0"))).toEqual([]);
    expect(observed.machine.view.prepares).toEqual(new Set(["0"]));
  });

  it("handles and relays early votes once the proposal arrives", () => {
    const observed = new Observed();
    expect(observed.hear(vote("commit", "2"), vote("prepare", "3"), vote("prepare", "2"))).toEqual([]);
    expect(observed.hear(proposalOf(BLOCK))).toEqual([
      ...["send prepare 0 5/0 block", "relay preprepare 1 5/0 block", "relay prepare 2 5/0 block"],
      ...["send commit 0 5/0 block", "relay prepare 3 5/0 block", "relay commit 2 5/0 block"],
    ]);
  });

  it("keeps the four earliest future proposals of a sender", () => {
    const checked = new Set<string>();
    const observed = new Observed({
      committee: () => ({ proposer: "2", members: new Set(MEMBERS), quorum: 3, faults: 1 }),
      verdict({ digest }) {
        checked.add(digest);
        return "unchecked";
      },
    });
    for (let round = 300; round > 0; round--)
      observed.hear({ ...proposalOf({ ...BLOCK, digest: `of round ${round}` }, round), from: "2" });
    for (const round of [4, 5]) {
      observed.hear(...["0", "1", "3"].map((from) => roundChange(from, round)));
      expect(observed.machine.view.round).toBe(round);
      expect(checked.has(`of round ${round}`)).toBe(round === 4);
    }
  });

  it("drops messages more than eight sequences ahead", () => {
    const checked: number[] = [];
    const observed = new Observed({
      committee: () => ({ proposer: "2", members: new Set(MEMBERS), quorum: 3, faults: 1 }),
      verdict({ number }) {
        checked.push(number);
        return "unchecked";
      },
    });
    for (const number of [13, 14])
      observed.hear({ ...proposalOf({ digest: "x", number }), from: "2", sequence: number });
    observed.machine.newHead(12);
    observed.machine.newHead(13);
    expect(checked).toEqual([13]);
  });

  it("counts the 64 highest round changes of each member", () => {
    const observed = new Observed();
    for (let round = 1; round <= 65; round++)
      for (const from of ["1", "2"]) observed.hear(roundChange(from, round));
    expect(observed.hear(roundChange("3", 1))).toEqual([]);
    expect(observed.machine.view.round).toBe(0);
    expect(observed.hear(roundChange("3", 2))).toContain("timer 5/2");
    expect(observed.machine.view).toMatchObject({ round: 2, isAwaitingRoundChange: false });
  });

  it("starts a round that a quorum requests, and while waiting joins one that F + 1 members request", () => {
    const observed = new Observed();
    expect(observed.hear(roundChange("1", 4), roundChange("2", 4))).toEqual([]);
    expect(observed.machine.timeout().map(lineOf)).toEqual([
      "timer 5/4",
      "send roundChange 0 5/4",
      "timer 5/4",
    ]);
    expect(observed.machine.view).toMatchObject({ round: 4, isAwaitingRoundChange: false });
    expect(observed.machine.timeout().map(lineOf)).toEqual(["timer 5/5", "send roundChange 0 5/5"]);
    expect(observed.machine.view.isAwaitingRoundChange).toBe(true);
    expect(observed.hear(roundChange("1", 7))).toEqual([]);
    expect(observed.hear(roundChange("2", 7))).toContain("send roundChange 0 5/7");
    expect(observed.machine.view).toMatchObject({ round: 7, isAwaitingRoundChange: false });
  });

  it("requests the next round on each timeout, and starts over once the chain has advanced", () => {
    const observed = new Observed();
    expect([1, 2, 3].map(() => observed.machine.timeout().map(lineOf))).toEqual([
      ["timer 5/1", "send roundChange 0 5/1"],
      ["timer 5/2", "send roundChange 0 5/2"],
      ["timer 5/3", "send roundChange 0 5/3"],
    ]);
    expect(observed.machine.newHead(5).map(lineOf)).toEqual(["timer 6/0"]);
  });

  it("keeps its lock across rounds: proposes the locked block again and votes for no other", () => {
    const observed = new Observed();
    observed.hear(proposalOf(BLOCK), vote("prepare", "1"), vote("prepare", "2"));
    observed.hear(...["1", "2", "3"].map((from) => roundChange(from, 1)));
    expect(observed.machine.view).toMatchObject({ round: 1, isLocked: true, locked: BLOCK });
    expect(observed.hear(proposalOf(OTHER, 1))).toContain("send roundChange 0 5/2");
    expect(observed.hear(...["1", "2"].map((from) => roundChange(from, 2)))).toContain("timer 5/2");
    const again = observed.hear(...["1", "2", "3"].map((from) => roundChange(from, 3)));
    expect(again).toContain("send preprepare 0 5/3 block");
    expect(again).toContain("send commit 0 5/3 block");
  });

  it("releases the lock on a block that failed", () => {
    let isBad = false;
    const observed = new Observed({ isBad: () => isBad });
    observed.hear(proposalOf(BLOCK), vote("prepare", "1"), vote("prepare", "2"));
    isBad = true;
    observed.hear(...["1", "2", "3"].map((from) => roundChange(from, 1)));
    expect(observed.machine.view.locked).toBeUndefined();
    expect(observed.hear(proposalOf(OTHER, 1))).toContain("send prepare 0 5/1 other");
  });

  it("resumes the round and lock of its journal, only in the sequence after the head", () => {
    const lock = { sequence: 5, round: 2, lock: BLOCK };
    const observed = new Observed({}, lock);
    expect(observed.began).toEqual(["timer 5/2"]);
    expect(observed.hear(proposalOf(OTHER, 2))).toContain("send roundChange 0 5/3");
    const another = new Observed({}, lock);
    expect(another.hear(proposalOf(BLOCK, 2))).toContain("send commit 0 5/2 block");
    const late = new Observed({}, { ...lock, sequence: 4 });
    expect(late.began).toEqual(["timer 5/0"]);
    expect(late.machine.view.locked).toBeUndefined();
  });

  it("neither sends nor counts votes that its journal rejects", () => {
    const observed = new Observed({ mayVote: (kind) => kind !== "prepare" });
    expect(observed.hear(proposalOf(BLOCK))).toEqual(["relay preprepare 1 5/0 block"]);
    expect(observed.machine.view.prepares.size).toBe(0);
  });

  it("has proposals verified, waits for future ones, and changes the round after an invalid one", () => {
    let verdict: ReturnType<MachineFacts["verdict"]> = "unchecked";
    const observed = new Observed({ verdict: () => verdict });
    expect(observed.hear(proposalOf(BLOCK))).toEqual(["verify preprepare 1 5/0 block"]);
    verdict = "future";
    expect(observed.hear(proposalOf(BLOCK))).toEqual(["wait preprepare 1 5/0 block"]);
    verdict = { invalid: "invalid proposal" };
    expect(observed.hear(proposalOf(BLOCK))).toEqual(["timer 5/1", "send roundChange 0 5/1"]);
  });

  it("accepts proposals only from the proposer, and votes only from members for its block", () => {
    const observed = new Observed();
    const refused = (message: MachineMessage) => observed.machine.receive(message, "source").refused;
    expect(refused({ ...proposalOf(BLOCK), from: "2" })).toBe("message does not come from proposer");
    expect(refused(proposalOf({ ...BLOCK, number: 6 }))).toBe("invalid proposal");
    const accepting = new Observed();
    accepting.hear(proposalOf(BLOCK));
    expect(accepting.machine.receive(vote("prepare", "1", "other"), "").refused).toBe(
      "inconsistent subjects",
    );
    expect(accepting.machine.receive(vote("prepare", "9"), "").refused).toBe(
      "message does not come from a committee",
    );
  });

  it("commits to an old proposal only if it is on its chain", () => {
    const observed = new Observed({ isOnChain: ({ digest }) => digest === "old" });
    const old = (digest: string, from: string): MachineMessage => ({
      ...{ kind: "preprepare", from, sequence: 4, round: 0, proposal: { digest, number: 4 } },
    });
    expect(observed.hear(old("old", "0"), old("old", "1"), old("forged", "0"))).toEqual([
      "send commit 0 4/0 old",
    ]);
  });

  it("proposes its block when it is the proposer, and queues sixteen blocks of later sequences", () => {
    const observed = new Observed();
    const later = (number: number) => observed.machine.request({ digest: `own${number}`, number });
    expect(later(4).refused).toBe("old message");
    for (let number = 23; number > 5; number--) expect(later(number).refused).toBe("future message");
    for (const head of [5, 6, 7]) observed.machine.newHead(head);
    expect(observed.machine.view.pending?.digest).toBe("own8");
    const effects = observed.machine.newHead(11).map(lineOf);
    expect(effects).toEqual(["timer 12/0", "send preprepare 0 12/0 own12", "send prepare 0 12/0 own12"]);
    observed.machine.newHead(7 + 4);
    for (const head of [12, 13, 14, 15, 16]) observed.machine.newHead(head);
    expect(observed.machine.view.pending?.digest).toBe("own17");
  });
});
