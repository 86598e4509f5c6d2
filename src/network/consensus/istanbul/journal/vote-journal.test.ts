import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DiskHealth } from "../../../../ledger/database/disk-health.ts";
import { createSimulatedFiles, type SimulatedFiles } from "../../../../platform/runtime/simulated/files.ts";
import { ZERO_HASH } from "../../../../protocol/primitives/bytes.ts";
import type { MessageKind } from "../messages/message.ts";
import { VoteJournal } from "./vote-journal.ts";
import type { OwnVote } from "./vote-record.ts";

const hashOf = (digit: number): Uint8Array => new Uint8Array(32).fill(digit);
const blockOf = (digit: number) => (): Uint8Array => new Uint8Array(900).fill(digit);

function open(files: SimulatedFiles): VoteJournal {
  return VoteJournal.open(files, "votes", new DiskHealth({ schedule: () => () => {} }));
}

function vote(kind: MessageKind, sequence: number, round: number, block = 0): OwnVote {
  return { kind, sequence: BigInt(sequence), round, digest: block === 0 ? ZERO_HASH : hashOf(block) };
}

describe("the journal of a validator's own votes", () => {
  it("lets a validator vote for only one block per view, also after a restart", async () => {
    const files = createSimulatedFiles();
    const journal = open(files);
    expect(await journal.record(vote("prepare", 5, 1, 1))).toBe(true);
    expect(await journal.record(vote("commit", 5, 1, 1), blockOf(1))).toBe(true);
    for (const memory of [journal, open(files)]) {
      expect(await memory.record(vote("prepare", 5, 1, 2))).toBe(false);
      expect(await memory.record(vote("commit", 5, 1, 2), blockOf(2))).toBe(false);
      expect(await memory.record(vote("preprepare", 5, 1, 2))).toBe(false);
      expect(await memory.record(vote("prepare", 5, 1, 1))).toBe(true);
    }
    expect(await open(files).record(vote("prepare", 5, 2, 2))).toBe(true);
  });

  it("restores view and lock, with the block of the newest commit", async () => {
    const files = createSimulatedFiles();
    const journal = open(files);
    expect(open(files).stoppedAt).toBeUndefined();
    await journal.record(vote("commit", 5, 0, 1), blockOf(1));
    await journal.record(vote("roundChange", 5, 1));
    await journal.record(vote("commit", 5, 3, 2), blockOf(2));
    await journal.record(vote("commit", 5, 4, 2), blockOf(2));
    await journal.record(vote("roundChange", 5, 7));
    const lock = { digest: hashOf(2), proposal: blockOf(2)(), round: 4 };
    expect(open(files).stoppedAt).toEqual({ sequence: 5n, round: 7, lock });
    await journal.record(vote("prepare", 6, 0, 3));
    expect(open(files).stoppedAt).toEqual({ sequence: 6n, round: 0, lock: undefined });
  });

  it("writes a block once", async () => {
    const files = createSimulatedFiles();
    const journal = open(files);
    for (const round of [0, 1, 2]) await journal.record(vote("commit", 5, round, 1), blockOf(1));
    const size = files.list("votes").reduce((sum, name) => sum + files.read(`votes/${name}`).length, 0);
    expect(size).toBeLessThan(2 * 900);
  });

  it("allows no votes for sequences that it does not remember", async () => {
    const journal = open(createSimulatedFiles());
    await journal.record(vote("prepare", 100, 0, 1));
    expect(await journal.record(vote("commit", 36, 0, 2), blockOf(2))).toBe(true);
    expect(await journal.record(vote("commit", 35, 0, 2), blockOf(2))).toBe(false);
  });

  it("never allows a sent vote to be contradicted after a power loss", async () => {
    const step = fc.record({
      kind: fc.constantFrom<MessageKind>("preprepare", "prepare", "commit", "roundChange"),
      ahead: fc.nat(1),
      round: fc.nat(2),
      block: fc.integer({ min: 1, max: 3 }),
      isCut: fc.boolean(),
      kept: fc.nat(2_000),
    });
    const run = async (steps: readonly (typeof step extends fc.Arbitrary<infer S> ? S : never)[]) => {
      let files = createSimulatedFiles();
      let journal = open(files);
      let sequence = 1;
      const sent = new Map<string, number>();
      for (const { kind, ahead, round, block, isCut, kept } of steps) {
        sequence += ahead;
        const isVote = kind !== "roundChange";
        const recorded = journal.record(vote(kind, sequence, round, isVote ? block : 0), blockOf(block));
        if (isCut) {
          files = files.afterPowerLoss(() => kept); // before it has left
          recorded.catch(() => {});
          journal = open(files);
          continue;
        }
        if (!(await recorded) || !isVote) continue;
        const view = `${sequence}/${round}`;
        expect(sent.get(view) ?? block).toBe(block);
        sent.set(view, block);
      }
    };
    await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 30 }), run), { numRuns: 200 });
  });
});
