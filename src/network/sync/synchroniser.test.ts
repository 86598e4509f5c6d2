import { describe, expect, it } from "vitest";
import { createSimulatedRuntime } from "../../platform/runtime/simulated.ts";
import { createLogger } from "../../platform/telemetry/logger.ts";
import type { Block } from "../../protocol/block/block.ts";
import { blockHash } from "../../protocol/block/hash.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { recordedBlocks } from "../consensus/testing/recorded-chain.ts";
import type { ChainPeer } from "./chain-peer.ts";
import { Synchroniser, type SynchroniserParts } from "./synchroniser.ts";

const [{ header: TEMPLATE }] = [...recordedBlocks("all-types")] as [Block];
const GENESIS: Block = { header: { ...TEMPLATE, number: 0n }, transactions: [] };

/** A chain with this many empty blocks after its last one. @param tag - tells branches apart */
function grown(chain: readonly Block[], blocks: number, tag = 0): Block[] {
  const all = [...chain];
  for (let i = 0; i < blocks; i++) {
    const { header } = all.at(-1) as Block;
    const number = header.number + 1n;
    const parentHash = blockHash(header);
    all.push({
      header: { ...TEMPLATE, number, parentHash, time: BigInt(tag) },
      transactions: [],
    });
  }
  return all;
}

/** A peer with a chain, which the test may change. */
function peerWith(id: string, chain: readonly Block[], isInbound = false) {
  const peer = {
    ...{ id, chain, session: { isInbound, pace: { isDue: () => false, yield: async () => {} } } },
    requested: 0,
    get headNumber(): bigint {
      return BigInt(this.chain.length - 1);
    },
    async request(_name: string, { origin, amount }: { origin: { number: bigint }; amount: bigint }) {
      // one that is asked for ever ends the test, too
      if (++this.requested > 1_000) return new Promise<never>(() => {});
      const start = Number(origin.number);
      return this.chain.slice(start, start + Number(amount)).map(({ header }) => header);
    },
  };
  return peer as typeof peer & ChainPeer;
}

/** A node with a chain and peers. */
function nodeWith(chain: Block[], peers: readonly ChainPeer[]) {
  const runtime = createSimulatedRuntime();
  const banned: string[] = [];
  const reasons: string[] = [];
  const branches: number[] = [];
  const { logger } = createLogger({
    ...{ verbosity: 2, format: "json", now: () => 0 },
    write: (line) => void reasons.push(JSON.parse(line).reason),
  });
  const synchroniser = new Synchroniser({
    ...{ timers: runtime.timers, logger },
    peers: () => peers.filter(({ id }) => !banned.includes(id)),
    ban: (peer: ChainPeer) => void banned.push(peer.id),
    chain: {
      get tip() {
        return chain.at(-1);
      },
      get head() {
        return chain.at(-1);
      },
      ancestry: { hash: (number: bigint) => blockHash((chain[Number(number)] as Block).header) },
    },
    importer: {
      async importAll(blocks: AsyncIterable<Block>) {
        for await (const block of blocks) chain.push(block);
      },
      async importBranch(branch: readonly Block[]) {
        branches.push(branch.length);
        if (branch.length === 0) return;
        chain.splice(Number(branch[0]?.header.number), Number.POSITIVE_INFINITY, ...branch);
      },
    },
  } as unknown as SynchroniserParts);
  let ended = 0;
  synchroniser.onChange((progress) => {
    if (progress === undefined) ended++;
  });
  /** Wakes it, and waits for the end of a download. */
  const sync = async () => {
    const before = ended;
    synchroniser.wake();
    for (let turn = 0; turn < 1_000 && ended === before; turn++) await runtime.advance(0);
    expect(ended).toBeGreaterThan(before);
  };
  return { chain, runtime, banned, reasons, branches, synchroniser, sync };
}

const tipOf = (chain: readonly Block[]) => bytesToHex(blockHash((chain.at(-1) as Block).header));

describe("a synchronisation", () => {
  it("downloads what a peer has more, as often as it has more", async () => {
    const peer = peerWith("a", grown([GENESIS], 300));
    const { synchroniser, sync, chain, banned } = nodeWith([GENESIS], [peer]);
    const seen: unknown[] = [];
    synchroniser.onChange((progress) => seen.push(progress));
    await sync();
    expect(tipOf(chain)).toBe(tipOf(peer.chain));
    expect(seen).toEqual([{ startingBlock: 0n, currentBlock: 0n, highestBlock: 300n }, undefined]);
    peer.chain = grown(peer.chain, 2);
    await sync();
    expect([tipOf(chain), banned]).toEqual([tipOf(peer.chain), []]);
    expect([synchroniser.progress(), chain.length]).toEqual([undefined, 303]);
  });

  it("prefers a peer that the node dialled to one that claims more, and then the higher head", async () => {
    const common = grown([GENESIS], 3);
    const inbound = peerWith("inbound", grown(common, 9), true);
    const [low, high] = [peerWith("low", grown(common, 1)), peerWith("high", grown(common, 2))];
    const { synchroniser, sync } = nodeWith([...common], [inbound, low, high]);
    const targets: unknown[] = [];
    synchroniser.onChange((progress) => progress && targets.push(progress.highestBlock));
    await sync();
    await synchroniser.stop();
    expect([targets, low.requested]).toEqual([[5n, 12n], 0]);
  });

  it("leaves a stranger that does not respond for a peer it dialled, or one that has delivered", async () => {
    const common = grown([GENESIS], 3);
    for (const isInbound of [false, true]) {
      const honest = peerWith("honest", grown(common, 1), isInbound);
      const silent = peerWith("silent", grown(common, 9), true);
      silent.request = () => new Promise<never>(() => {});
      const peers: ChainPeer[] = [honest];
      const { sync, chain, runtime, synchroniser, banned, reasons } = nodeWith([...common], peers);
      await sync();
      peers.push(silent);
      synchroniser.wake();
      expect(synchroniser.progress()).toBeUndefined();
      honest.chain = grown(honest.chain, 1);
      synchroniser.wake();
      await runtime.advance(1_999);
      expect(chain).toHaveLength(5);
      await runtime.advance(2);
      expect(tipOf(chain)).toBe(tipOf(honest.chain));
      expect([banned, reasons]).toEqual([[], ["no block within two seconds, and a better peer has one"]]);
      await synchroniser.stop();
    }
  });

  it("stays with a stranger that delivers, though a peer it dialled is ahead", async () => {
    const inbound = peerWith("inbound", grown([GENESIS], 1_500), true);
    const dialled = peerWith("dialled", [GENESIS]);
    const { synchroniser, runtime, chain, reasons } = nodeWith([GENESIS], [inbound, dialled]);
    const { request } = inbound;
    let requested = 0;
    inbound.request = (async (...asked: Parameters<typeof request>) => {
      requested++;
      await new Promise<void>((resolve) => void runtime.timers.schedule(400, resolve));
      return request.apply(inbound, asked);
    }) as typeof request;
    synchroniser.wake();
    dialled.chain = grown([GENESIS], 1);
    for (let i = 0; i < 60 && chain.length < 1_501; i++) {
      synchroniser.wake();
      await runtime.advance(100);
    }
    expect([chain.length, requested, reasons]).toEqual([1_501, 9, []]);
    await synchroniser.stop();
  });

  it("looks back to where branches part, and imports the other one as a whole", async () => {
    const common = grown([GENESIS], 20);
    const peer = peerWith("a", grown(common, 9, 1));
    const { sync, chain, branches } = nodeWith(grown(common, 5, 2), [peer]);
    await sync();
    expect(tipOf(chain)).toBe(tipOf(peer.chain));
    // from 1, 3 and 7 blocks back
    expect(branches).toEqual([29 - 18]);
  });

  it("asks a peer that lacks the newest block for earlier ones", async () => {
    const common = grown([GENESIS], 3);
    const peer = peerWith("a", common);
    Object.defineProperty(peer, "headNumber", { value: 9n });
    const { sync, banned, runtime, synchroniser } = nodeWith(grown(common, 1), [peer]);
    await sync();
    expect([peer.requested > 1, banned]).toEqual([true, []]);
    // it has not delivered what it announced
    const { requested } = peer;
    await runtime.advance(599_000);
    synchroniser.wake();
    expect(peer.requested).toBe(requested);
  });

  it("bans a peer with nothing in common, or whose blocks do not follow from one another", async () => {
    const other = grown([{ ...GENESIS, header: { ...GENESIS.header, time: 9n } }], 5);
    const gapped = grown([GENESIS], 9).filter((_, i) => i !== 4);
    for (const [chain, reason] of [
      [other, "nothing in common with the peer"],
      [gapped, "header 5 does not follow from 3"],
    ] as const) {
      const { sync, banned, reasons } = nodeWith(grown([GENESIS], 2), [peerWith("a", chain)]);
      await sync();
      expect([banned, reasons]).toEqual([["a"], [reason]]);
    }
  });

  it("backs off from a peer whose branch is too long, or parts too far back, and does not ban it", async () => {
    const long = grown([GENESIS], 3_601, 1);
    const far = grown([GENESIS], 3_700, 2);
    for (const [own, other, reason] of [
      [grown([GENESIS], 1), long, "the other branch is too long"],
      [grown([GENESIS], 3_650), far, "the peer's branch leaves the chain too far back"],
    ] as const) {
      const peer = peerWith("a", other);
      const { sync, banned, reasons, synchroniser } = nodeWith(own, [peer]);
      await sync();
      expect([banned, reasons]).toEqual([[], [reason]]);
      const { requested } = peer;
      synchroniser.wake();
      expect(peer.requested).toBe(requested);
    }
  });

  it("ends when it is stopped", async () => {
    const peer = peerWith("a", grown([GENESIS], 300));
    const { synchroniser, chain, banned, reasons } = nodeWith([GENESIS], [peer]);
    synchroniser.wake();
    await synchroniser.stop();
    const { length } = chain;
    synchroniser.wake();
    expect([length < 301, chain.length, synchroniser.progress()]).toEqual([true, length, undefined]);
    expect([banned, reasons]).toEqual([[], []]);
  });
});
