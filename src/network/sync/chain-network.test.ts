import { expect, it } from "vitest";
import { transfer, wallet } from "../../ledger/txpool/testing/transactions.ts";
import { createSimulatedRuntime } from "../../platform/runtime/simulated.ts";
import { silentLogger } from "../../platform/telemetry/logger.ts";
import { publicKeyOf } from "../../protocol/crypto/secp256k1.ts";
import type { PeerSession } from "../p2p/session/session.ts";
import { CHAIN_MESSAGES } from "../protocol/chain-messages.ts";
import { ChainNetwork, type ChainNetworkParts } from "./chain-network.ts";
import type { ChainPeer } from "./chain-peer.ts";

const OFFSET = 16;
const hash = new Uint8Array(32);
const status = { networkId: 1n, totalBlockScore: 1n, head: hash, genesis: hash, chainId: 1n };

/** A consensus node that meets another, whose pool takes transactions only when it is told to. */
async function meet(hasSeat: boolean) {
  const runtime = createSimulatedRuntime();
  const taken: number[] = [];
  const heard: unknown[] = [];
  const reasons: number[] = [];
  let handler: ((code: number, payload: Uint8Array) => unknown) | undefined;
  const open: (() => void)[] = [];
  const head = { header: { number: 0n }, hash };
  const network = new ChainNetwork({
    ...{ timers: runtime.timers, logger: silentLogger, networkId: 1n, connectionType: 0 },
    chain: { head, tip: head, genesisHash: hash, config: { chainId: 1n }, onHead: () => () => {} },
    importer: {},
    served: { chain: {} },
    pool: {
      onPending: () => () => {},
      content: () => ({ pending: new Map() }),
      addAll: (part: readonly unknown[]) =>
        new Promise<void>((resolve) => {
          open.push(() => {
            taken.push(part.length);
            resolve();
          });
        }),
    },
    validators: {
      hasSeat: () => hasSeat,
      connected: () => {},
      gone: () => {},
      receive: (_: unknown, message: unknown) => void heard.push(message),
    },
    ban: () => {},
  } as unknown as ChainNetworkParts);
  const session = {
    connectionType: 0,
    shared: [{ name: "istanbul", version: 67, codes: 26, offset: OFFSET }],
    hello: { id: publicKeyOf(new Uint8Array(32).fill(1)), name: "other" },
    ended: new Promise<number>(() => {}),
    start: (take: typeof handler) => {
      handler = take;
    },
    send: () => {},
    disconnect: (reason: number) => void reasons.push(reason),
  } as unknown as PeerSession;
  const met = network.meet(session);
  await handler?.(OFFSET, CHAIN_MESSAGES.status.codec.write({ protocolVersion: 67n, ...status }));
  await met;
  const [peer] = network.peers as unknown as Iterable<ChainPeer>;
  return { network, peer: peer as ChainPeer, take: handler, taken, heard, reasons, open, runtime };
}

it("hears a validator's votes while its transactions wait, until these are too many", async () => {
  const { network, peer, take, taken, heard, open, runtime } = await meet(true);
  const few = [transfer(wallet(1), { nonce: 0n }, 1n)];
  expect(network.transactions(peer, few)).toBeUndefined();
  const vote = { previousHash: hash, payload: Uint8Array.of(1) };
  await take?.(OFFSET + CHAIN_MESSAGES.consensus.code, CHAIN_MESSAGES.consensus.codec.write(vote));
  expect(heard).toHaveLength(1);
  expect(taken).toEqual([]);
  const large = transfer(
    wallet(1),
    { nonce: 1n, input: new Uint8Array(9 << 20) },
    1n,
    "TxTypeValueTransferMemo",
  );
  let isOver = false;
  const waited = network.transactions(peer, [large])?.then(() => {
    isOver = true;
  });
  expect(waited).toBeDefined();
  for (let i = 0; i < 4; i++) {
    open.shift()?.();
    await runtime.advance(1);
  }
  await waited;
  expect([isOver, taken]).toEqual([true, [1, 1]]);
});

it("takes no consensus node that has no seat", async () => {
  const { network, reasons } = await meet(false);
  expect([...network.peers]).toEqual([]);
  expect(reasons).toEqual([16]);
});
