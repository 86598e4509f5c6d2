import { expect, it } from "vitest";
import { ChainError } from "../../ledger/chain/errors.ts";
import { blobTransaction } from "../../node/testing/blobs.ts";
import { createLogger } from "../../platform/telemetry/logger.ts";
import type { Block } from "../../protocol/block/block.ts";
import { blockHash } from "../../protocol/block/hash.ts";
import { deriveSha } from "../../protocol/block/list-root.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { encodeTransaction, withoutSidecar } from "../../protocol/transaction/encoding.ts";
import { recordedBlocks } from "../consensus/testing/recorded-chain.ts";
import type { ChainPeer } from "./chain-peer.ts";
import { KnownHashes } from "./known-hashes.ts";
import { PushedBlocks, type PushedBlocksParts } from "./pushed-blocks.ts";

const TIP = new Uint8Array(32).fill(9);
const [EMPTY, FULL] = [...recordedBlocks("all-types")].filter(
  ({ transactions }, i) => i === 0 || transactions.length > 0,
) as [Block, Block];
const HEADER = { ...EMPTY.header, number: 1n, parentHash: TIP };

/** Blocks that are pushed to a node on block 0, and what comes of it. */
function pushing(refusal?: Error) {
  const imported: Block[] = [];
  const events: string[] = [];
  const warnings: string[] = [];
  const { logger } = createLogger({
    ...{ verbosity: 2, format: "text", now: () => 0 },
    write: (line) => void warnings.push(line),
  });
  const pushed = new PushedBlocks({
    chain: { tip: { hash: TIP } },
    importer: {
      import: async (block: Block) => {
        imported.push(block);
        if (refusal !== undefined) throw refusal;
      },
    },
    logger,
    onImported: () => void events.push("imported"),
    onGap: () => void events.push("gap"),
    ban: (peer: ChainPeer) => void events.push(`ban ${peer.id}`),
  } as unknown as PushedBlocksParts);
  const peerOf = (id: string) =>
    ({
      ...{ id, knownBlocks: new KnownHashes(9), head: { hash: TIP, totalBlockScore: 1n } },
      session: { pace: { isDue: () => false, yield: async () => {} } },
    }) as unknown as ChainPeer;
  const push = (peer: ChainPeer, block: Block) =>
    pushed.take(peer, { block, totalBlockScore: block.header.number + 1n });
  return { push, peerOf, imported, events, warnings };
}

it("imports a block that follows the tip, and reports a gap otherwise", async () => {
  const { push, peerOf, imported, events } = pushing();
  const peer = peerOf("a");
  await push(peer, { header: HEADER, transactions: [] });
  await push(peer, { header: { ...HEADER, number: 2n, parentHash: new Uint8Array(32) }, transactions: [] });
  expect(events).toEqual(["imported", "gap"]);
  expect([imported.length, peer.head.totalBlockScore]).toEqual([1, 3n]);
});

it("bans a peer that pushes a block with another body, and does not import it", async () => {
  const { push, peerOf, imported, events } = pushing();
  await push(peerOf("a"), { header: HEADER, transactions: FULL.transactions });
  expect([imported, events]).toEqual([[], ["ban a"]]);
});

it("bans a peer that pushes a block with an invalid header", async () => {
  const { push, peerOf, events } = pushing(new ChainError("BAD_BLOCK", "no seals"));
  for (const id of ["a", "b"]) await push(peerOf(id), { header: HEADER, transactions: [] });
  expect(events).toEqual(["ban a", "ban b"]);
});

it("bans nobody for a decided block that fails, executes it once, and accepts the next one", async () => {
  const { push, peerOf, imported, events, warnings } = pushing(
    new ChainError("BAD_BLOCK", "invalid merkle root", { isDecided: true }),
  );
  const peers = ["a", "b"].map(peerOf);
  for (const peer of peers) await push(peer, { header: HEADER, transactions: [] });
  expect([imported.length, events]).toEqual([1, []]);
  expect(warnings).toEqual([
    expect.stringMatching(/WARN .*validators have decided a block that fails.*invalid merkle root/),
  ]);
  // neither has it in its chain: nothing of it is to be asked for
  expect(peers.map(({ head }) => [head.hash, head.totalBlockScore])).toEqual([
    [TIP, 1n],
    [TIP, 1n],
  ]);
  expect(peers.every((peer) => peer.knownBlocks.has(bytesToHex(blockHash(HEADER))))).toBe(true);
  await push(peers[0] as ChainPeer, { header: { ...HEADER, time: HEADER.time + 1n }, transactions: [] });
  expect(imported.length).toBe(2);
});

it("imports a consensus node's block without the sidecars that it carries", async () => {
  const { push, peerOf, imported, events } = pushing();
  const blob = blobTransaction({ privateKey: new Uint8Array(32).fill(1), chainId: 1n });
  const transactionsRoot = deriveSha(0, [encodeTransaction(withoutSidecar(blob))]);
  await push(peerOf("a"), { header: { ...HEADER, transactionsRoot }, transactions: [blob] });
  expect(events).toEqual(["imported"]);
  expect(imported.map(({ transactions }) => transactions.map(({ sidecar }) => sidecar))).toEqual([
    [undefined],
  ]);
});
