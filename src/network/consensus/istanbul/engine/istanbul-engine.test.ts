import { describe, expect, it } from "vitest";
import { DiskHealth } from "../../../../ledger/database/disk-health.ts";
import { blockHash } from "../../../../protocol/block/hash.ts";
import type { Header } from "../../../../protocol/block/header.ts";
import { roundOf } from "../../../../protocol/block/istanbul-extra.ts";
import { authorOf, committersOf } from "../../../../protocol/block/seal.ts";
import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import { VoteJournal } from "../journal/vote-journal.ts";
import type { Vote } from "../messages/message.ts";
import { makeMessage } from "../messages/open-message.ts";
import { type ByzantineNetwork, withByzantineProposer } from "./testing/byzantine-proposer.ts";
import { ValidatorNetwork } from "./testing/validator-network.ts";

const hashes = ({ validators }: ValidatorNetwork, number: bigint) =>
  new Set(
    validators
      .filter(({ isUp }) => isUp)
      .map(({ chain }) => bytesToHex(chain.hash(number) ?? new Uint8Array())),
  );

/** Blocks that each validator has named in each view, in all that it has sent. */
function namedBlocks({ sent }: ValidatorNetwork): ReadonlyMap<string, ReadonlySet<string>> {
  const named = new Map<string, Set<string>>();
  for (const { message } of sent) {
    const { content, sender } = message;
    if (content.kind === "roundChange") continue;
    const view = `${bytesToHex(sender)} ${content.sequence}/${content.round}`;
    const digest = content.kind === "preprepare" ? blockHash(content.proposal.header) : content.digest;
    named.set(view, (named.get(view) ?? new Set()).add(bytesToHex(digest)));
  }
  return named;
}

/** Whether the honest ones have the block that the liar was to propose. */
function isDecided({ network, liar, number }: ByzantineNetwork): boolean {
  return network.validators.every(
    (one) => one.index === liar.index || one.chain.head.header.number >= number,
  );
}

describe("four validators", { timeout: 120_000 }, () => {
  it("agree on one block per second, with rotating proposers, in round 0", async () => {
    const network = await ValidatorNetwork.start();
    await network.reach(12);
    const chain = network.validator(0).chain;
    const headers = Array.from({ length: 12 }, (_, i) => chain.header(BigInt(i + 1)) as Header);
    expect(headers.map(({ extra }) => roundOf(extra))).toEqual(new Array(12).fill(0));
    for (const { number } of headers) expect(hashes(network, number).size).toBe(1);
    const times = headers.map(({ time }) => Number(time));
    expect(times.slice(1).map((time, i) => time - (times[i] ?? 0))).toEqual(new Array(11).fill(1));
    expect(new Set(headers.map((header) => bytesToHex(authorOf(header)))).size).toBeGreaterThan(1);
    for (const header of headers) expect(committersOf(header).length).toBeGreaterThanOrEqual(3);
  });

  it("continue without one of them, at the cost of a round change whenever it is the proposer", async () => {
    const network = await ValidatorNetwork.start();
    await network.reach(1);
    network.kill(3);
    await network.reach(9);
    const rounds = [2n, 3n, 4n, 5n, 6n, 7n, 8n, 9n].map((number) =>
      roundOf((network.validator(0).chain.header(number) as Header).extra),
    );
    expect(rounds.some((round) => round > 0)).toBe(true);
    await network.startValidator(3);
    await network.reach(12);
    expect(hashes(network, 12n).size).toBe(1);
  });

  it("decide the block that they had committed to before all were killed", async () => {
    const network = await ValidatorNetwork.start();
    const committed = new Set<string>();
    network.link = ({ from, message: { content } }) => {
      if (content.kind === "commit") committed.add(`${from} ${bytesToHex(content.digest)}`);
      return content.kind !== "commit";
    };
    await network.until(() => committed.size === 4);
    for (const { index } of network.validators) network.kill(index);
    await network.runtime.advance(5_000);
    network.link = () => true;
    for (const index of [0, 1, 2, 3]) await network.startValidator(index);
    await network.reach(1);
    const [decided] = hashes(network, 1n);
    expect([...committed].map((line) => line.split(" ")[1])).toEqual(new Array(4).fill(decided));
    for (const [view, blocks] of namedBlocks(network)) expect([view, blocks.size]).toEqual([view, 1]);
  });

  it("report that they cannot vote after their chain was rewound beyond their journal", async () => {
    const network = await ValidatorNetwork.start([0, 1]);
    const says = () => network.logged.filter((line) => line.includes("set back")).length;
    for (const [sequence, wanted] of [
      [65n, 0],
      [66n, 1],
    ] as const) {
      network.kill(0);
      const { files } = network.validator(0);
      const journal = VoteJournal.open(files, "votes", new DiskHealth({ schedule: () => () => {} }));
      const vote = { kind: "prepare", sequence, round: 0, digest: new Uint8Array(32).fill(1) } as const;
      expect(await journal.record(vote)).toBe(true);
      await network.startValidator(0);
      await network.runtime.advance(1_000);
      expect(says()).toBe(wanted);
    }
  });

  it("count no commit without a valid seal", async () => {
    const { network, number, propose, liar, honest, signer } = await withByzantineProposer();
    // two of the three honest ones are alone with the liar, whose commit is needed
    network.kill((liar.index + 1) % 4);
    const digest = propose({});
    const vote: Omit<Vote, "kind"> = {
      ...{ sequence: BigInt(number), round: 0, digest, parentHash: honest.header.parentHash },
    };
    const say = (kind: Vote["kind"], sealed?: Uint8Array) => {
      const message = makeMessage({ kind, ...vote }, signer, sealed);
      for (const { index } of network.validators)
        if (index !== liar.index) network.deliver(liar.index, index, message);
    };
    say("prepare");
    say("commit", new Uint8Array(32).fill(7));
    say("commit");
    await network.runtime.advance(3_000);
    const honestOnes = network.validators.filter(({ index, isUp }) => isUp && index !== liar.index);
    expect(honestOnes.map(({ chain }) => Number(chain.head.header.number))).toEqual(
      new Array(2).fill(number - 1),
    );
    say("commit", digest);
    await network.until(() => honestOnes.every(({ chain }) => chain.head.header.number >= number), 2_000);
  });

  it("change the round after ten seconds of a silent proposer", async () => {
    const { network, number } = await withByzantineProposer();
    const took = await network.reach(number, 20_000);
    expect(took).toBeGreaterThan(8_000);
    expect(took).toBeLessThan(12_000);
    expect(roundOf((network.validator(0).chain.header(BigInt(number)) as Header).extra)).toBe(1);
  });

  it("change the round earlier if the proposer is disconnected, unless too few others are connected", async () => {
    const gone = await withByzantineProposer();
    gone.network.isConnected = (_, to) => to !== gone.liar.index;
    const aloneMs = (await gone.network.until(() => isDecided(gone), 60_000)) - 1_000;
    expect(aloneMs).toBeLessThan(5_000);
    const parted = await withByzantineProposer();
    parted.network.isConnected = () => false;
    let isSeen = false;
    parted.network.runtime.timers.schedule(8_000, () => {
      isSeen = parted.network.validators.some(({ events }) =>
        events.some(({ what, sequence }) => what === "timedOut" && sequence === parted.number),
      );
    });
    await parted.network.runtime.advance(8_500);
    expect(isSeen).toBe(false);
  });

  it("decide neither of two blocks that an equivocating proposer has sent to two of them each", async () => {
    const { network, number, liar, propose, honest } = await withByzantineProposer();
    const [a, b, c] = [0, 1, 2, 3].filter((index) => index !== liar.index) as [number, number, number];
    propose({}, [a, b]);
    propose({ timeFoS: (honest.header.timeFoS + 1) % 100 }, [c]);
    const took = await network.reach(number, 20_000);
    expect(took).toBeLessThan(12_000);
    expect(hashes(network, BigInt(number)).size).toBe(1);
    for (const [view, blocks] of namedBlocks(network))
      if (!view.startsWith(bytesToHex(liar.address))) expect([view, blocks.size]).toEqual([view, 1]);
  });

  const wrong = new Uint8Array(32).fill(1);
  it.each<[string, Partial<Header>]>([
    ["state root", { stateRoot: wrong }],
    ["transactions root", { transactionsRoot: wrong }],
    ["receipts root", { receiptsRoot: wrong }],
    ["reveal", { randomReveal: new Uint8Array(96).fill(1) }],
    ["base fee", { baseFee: 1n }],
    ["gas used", { gasUsed: 1n }],
    ["parent", { parentHash: wrong }],
  ])("change the round at once when a proposal has the wrong %s", async (_, change) => {
    const { network, number, propose } = await withByzantineProposer();
    const digest = propose(change);
    const took = await network.reach(number, 20_000);
    expect(took).toBeLessThan(4_000);
    expect(hashes(network, BigInt(number)).has(bytesToHex(digest))).toBe(false);
    expect(roundOf((network.validator(0).chain.header(BigInt(number)) as Header).extra)).toBe(1);
  });
});
