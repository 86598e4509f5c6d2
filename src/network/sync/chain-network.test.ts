import { expect, it } from "vitest";
import type { HeadEvent } from "../../ledger/chain/chain.ts";
import { TransactionPoolError } from "../../ledger/txpool/errors.ts";
import { transfer, wallet } from "../../ledger/txpool/testing/transactions.ts";
import { blobTransaction } from "../../node/testing/blobs.ts";
import { createSimulatedRuntime } from "../../platform/runtime/simulated.ts";
import { silentLogger } from "../../platform/telemetry/logger.ts";
import type { Block } from "../../protocol/block/block.ts";
import { publicKeyOf } from "../../protocol/crypto/secp256k1.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";
import { recordedBlocks } from "../consensus/testing/recorded-chain.ts";
import type { PeerSession } from "../p2p/session/session.ts";
import { DisconnectReason } from "../p2p/wire/disconnect.ts";
import type { SharedPayload } from "../p2p/wire/message.ts";
import { CHAIN_MESSAGES } from "../protocol/chain-messages.ts";
import { decodeValue } from "../protocol/codec.ts";
import { ChainNetwork, type ChainNetworkParts } from "./chain-network.ts";
import type { ChainPeer } from "./chain-peer.ts";

const OFFSET = 16;
const hash = new Uint8Array(32);
const status = { networkId: 1n, totalBlockScore: 1n, head: hash, genesis: hash, chainId: 1n };

/** A consensus node connected to another; its pool accepts transactions only when the test lets it. */
async function meet(hasSeat: boolean, others: readonly number[] = []) {
  const runtime = createSimulatedRuntime();
  const taken: number[] = [];
  const heard: unknown[] = [];
  const reasons: number[] = [];
  let handler: ((code: number, payload: Uint8Array) => unknown) | undefined;
  const open: (() => void)[] = [];
  const head = { header: { number: 0n }, hash };
  const imported: Block[] = [];
  const banned: unknown[] = [];
  const sent: unknown[][] = [];
  const results: unknown[] = [];
  let announce: (event: HeadEvent) => void = () => {};
  let pending: (transactions: readonly Transaction[]) => void = () => {};
  const network = new ChainNetwork({
    ...{ timers: runtime.timers, logger: silentLogger, networkId: 1n, connectionType: 0 },
    chain: {
      head,
      tip: head,
      genesisHash: hash,
      config: { chainId: 1n },
      onHead: (listener: typeof announce) => {
        announce = listener;
        return () => {};
      },
    },
    importer: { import: async (block: Block) => void imported.push(block) },
    served: { chain: {} },
    pool: {
      onPending: (listener: typeof pending) => {
        pending = listener;
        return () => {};
      },
      content: () => ({ pending: new Map() }),
      addAll: (part: readonly unknown[]) =>
        new Promise<readonly unknown[]>((resolve) => {
          open.push(() => {
            taken.push(part.length);
            resolve(results);
          });
        }),
    },
    validators: {
      hasSeat: () => hasSeat,
      connected: () => {},
      disconnected: () => {},
      receive: (_: unknown, message: unknown) => void heard.push(message),
    },
    ban: (liar: unknown) => void banned.push(liar),
  } as unknown as ChainNetworkParts);
  for (const [i, connectionType] of [0, ...others].entries()) {
    const session = {
      connectionType,
      shared: [{ name: "istanbul", version: 67, codes: 26, offset: OFFSET }],
      hello: { id: publicKeyOf(new Uint8Array(32).fill(1 + i)), name: "other" },
      ended: new Promise<number>(() => {}),
      pace: { isDue: () => false, yield: async () => {} },
      unsent: 0,
      start: (take: typeof handler) => {
        handler = take;
      },
      send: (code: number, payload: unknown) => void sent.push([i, code - OFFSET, payload]),
      disconnect: (reason: number) => void reasons.push(reason),
    } as unknown as PeerSession;
    const met = network.addSession(session);
    await handler?.(OFFSET, CHAIN_MESSAGES.status.codec.write({ protocolVersion: 67n, ...status }));
    await met;
  }
  const [peer] = network.peers as unknown as Iterable<ChainPeer>;
  const passed = { taken, heard, reasons, open, imported, banned, sent, results };
  return { network, peer: peer as ChainPeer, take: handler, runtime, announce, pending, ...passed };
}

it("reads a validator's votes while its transactions wait, unless these are too many", async () => {
  const { network, peer, take, taken, heard, open, runtime } = await meet(true);
  const few = [transfer(wallet(1), { nonce: 0n }, 1n)];
  expect(network.transactions(peer, few)).toBeUndefined();
  const vote = { previousHash: hash, payload: Uint8Array.of(1) };
  await take?.(OFFSET + CHAIN_MESSAGES.consensus.code, CHAIN_MESSAGES.consensus.codec.write(vote));
  expect(heard).toHaveLength(1);
  expect(taken).toEqual([]);
  // 6 MB as messages, but the memory of 60,000 objects
  const many = Array.from({ length: 60_000 }, () => few[0] as Transaction);
  let isOver = false;
  const waited = network.transactions(peer, many)?.then(() => {
    isOver = true;
  });
  expect(waited).toBeDefined();
  for (let i = 0; i < 1_000 && !isOver; i++) {
    open.shift()?.();
    await runtime.advance(1);
  }
  expect([isOver, taken.reduce((sum, count) => sum + count, 0)]).toEqual([true, 60_001]);
  // they are no longer queued
  expect(network.transactions(peer, few)).toBeUndefined();
});

it("takes a peer's newest announced block for its head", async () => {
  const { network, peer } = await meet(true);
  const at = (number: bigint) => ({ number, hash: new Uint8Array(32).fill(Number(number)) });
  network.announced(peer, [at(7n), at(5n)]);
  expect([peer.headNumber, peer.head.hash]).toEqual([7n, at(7n).hash]);
});

it("bans a peer that pushes a block whose transactions are not those of its header", async () => {
  const { network, peer, banned, imported } = await meet(true);
  const [empty, full] = [...recordedBlocks("all-types")].filter(
    ({ transactions }, i) => i === 0 || transactions.length > 0,
  ) as [Block, Block];
  const header = { ...empty.header, parentHash: hash };
  const block = { header, transactions: full.transactions };
  await network.block(peer, { block, totalBlockScore: header.number + 1n });
  expect([banned, imported]).toEqual([[peer.session], []]);
});

it("rejects consensus nodes without a seat", async () => {
  const { network, reasons } = await meet(false);
  expect([...network.peers]).toEqual([]);
  expect(reasons).toEqual([16]);
});

it("encodes a new block once for all proxies, and its hash once for all validators", async () => {
  const { announce, sent } = await meet(true, [0, 2, 2]);
  const [block] = recordedBlocks("all-types") as Iterable<Block>;
  sent.length = 0;
  announce({
    added: [{ block: block as Block, hash: new Uint8Array(32).fill(7), receipts: [] }],
    removed: [],
  });
  expect(sent.map(([peer, code]) => [peer, code])).toEqual([
    [0, 0x01],
    [1, 0x01],
    [2, 0x0b],
    [3, 0x0b],
  ]);
  expect(sent[1]?.[2]).toBe(sent[0]?.[2]);
  expect(sent[3]?.[2]).toBe(sent[2]?.[2]);
});

it("sends transactions that become executable in one turn as one message", async () => {
  const { pending, sent, runtime } = await meet(true);
  sent.length = 0;
  for (const nonce of [0n, 1n, 2n]) pending([transfer(wallet(1), { nonce }, 1n)]);
  expect(sent).toEqual([]);
  await runtime.advance(1);
  expect(sent.map(([, code]) => code)).toEqual([CHAIN_MESSAGES.transactions.code]);
  const [[, , payload] = []] = sent;
  const { bytes } = payload as SharedPayload;
  expect(decodeValue(CHAIN_MESSAGES.transactions.codec, bytes)).toHaveLength(3);
});

it("announces new blocks while a peer that claims a long chain does not answer", async () => {
  const { network, peer, announce, sent, runtime } = await meet(true);
  network.announced(peer, [{ number: 1_000n, hash }]);
  await runtime.advance(0);
  const [block] = recordedBlocks("all-types") as unknown as [Block];
  announce({ added: [{ block, hash: new Uint8Array(32).fill(7), receipts: [] }], removed: [] });
  const codes = sent.map(([, code]) => code);
  expect(codes).toContain(CHAIN_MESSAGES.headersRequest.code);
  expect(codes).toContain(CHAIN_MESSAGES.newBlockHashes.code);
});

it("does not add transactions of recent blocks to the pool, unless these were reorganised out", async () => {
  const { network, peer, announce, open, taken, runtime } = await meet(true);
  const block = [...recordedBlocks("all-types")].find(({ transactions }) => transactions.length > 0) as Block;
  const known = { block, hash: new Uint8Array(32).fill(7), receipts: [] };
  const offer = async () => {
    network.transactions(peer, [transfer(wallet(1), { nonce: 0n }, 1n), ...block.transactions]);
    await runtime.advance(1);
    open.shift()?.();
    await runtime.advance(1);
  };
  announce({ added: [known], removed: [] });
  await offer();
  announce({ added: [], removed: [known] });
  await offer();
  expect(taken).toEqual([1, 1 + block.transactions.length]);
});

it("disconnects a peer with an invalid sidecar, but not one whose transactions the pool rejects", async () => {
  const { network, peer, open, reasons, results, runtime } = await meet(true);
  const blob = blobTransaction({ privateKey: new Uint8Array(32).fill(1), chainId: 1n });
  for (const [code, wanted] of [
    ["INVALID_BLOB", []],
    ["NONCE_TOO_LOW", []],
    ["WRONG_SIDECAR", [DisconnectReason.subprotocolError]],
  ] as const) {
    results[0] = new TransactionPoolError(code, "refused");
    network.transactions(peer, [blob]);
    await runtime.advance(1);
    open.shift()?.();
    await runtime.advance(1);
    expect(reasons).toEqual(wanted);
  }
});
