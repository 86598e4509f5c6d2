import { expect, it } from "vitest";
import { transfer, wallet } from "../../ledger/txpool/testing/transactions.ts";
import { createSimulatedRuntime } from "../../platform/runtime/simulated.ts";
import { transactionKey } from "../../protocol/transaction/hash.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";
import { ConnectionType } from "../p2p/session/open-session.ts";
import type { SharedPayload } from "../p2p/wire/message.ts";
import { CHAIN_MESSAGES } from "../protocol/chain-messages.ts";
import { decodeValue } from "../protocol/codec.ts";
import type { ChainPeer } from "./chain-peer.ts";
import { KnownHashes } from "./known-hashes.ts";
import { TransactionGossip } from "./transaction-gossip.ts";

const { cn, pn, en } = ConnectionType;
const some = (count: number) =>
  Array.from({ length: count }, (_, nonce) => transfer(wallet(1), { nonce: BigInt(nonce) }, 1n));

/** A node with peers of some types, and what each of these is sent. */
function gossiping(own: number, types: readonly number[]) {
  const runtime = createSimulatedRuntime();
  const sent: (readonly Transaction[])[][] = types.map(() => []);
  const payloads = new Set<SharedPayload>();
  const peers = types.map((connectionType, i) => ({
    session: { connectionType, unsent: 0 },
    knownTransactions: new KnownHashes(10_000),
    sendShared(_: string, payload: SharedPayload) {
      payloads.add(payload);
      sent[i]?.push(decodeValue(CHAIN_MESSAGES.transactions.codec, payload.bytes));
    },
  })) as unknown as ChainPeer[];
  const pending = new Map<string, readonly Transaction[]>();
  let notify: (transactions: readonly Transaction[]) => void = () => {};
  const gossip = new TransactionGossip({
    pool: {
      onPending: (listener) => {
        notify = listener;
        return () => {};
      },
      content: () => ({ pending, queued: new Map() }),
    },
    ...{ connectionType: own, timers: runtime.timers, peers: () => peers },
  });
  const told = () => sent.map((parts) => parts.flat().length);
  return {
    gossip,
    runtime,
    pending,
    told,
    payloads,
    peers,
    notify: (fresh: readonly Transaction[]) => notify(fresh),
  };
}

it.each<[string, number, readonly number[], readonly number[]]>([
  [
    "half of the consensus nodes and two more",
    cn,
    [cn, cn, cn, cn, cn, cn, pn, en],
    [1, 1, 1, 1, 1, 0, 0, 0],
  ],
  ["two consensus nodes and all proxies", pn, [cn, cn, cn, pn, pn, en], [1, 1, 0, 1, 1, 0]],
  ["everybody", en, [cn, cn, cn, pn, en], [1, 1, 1, 1, 1]],
])("sends to %s", async (_, own, types, wanted) => {
  const { gossip, runtime, notify, told } = gossiping(own, types);
  notify(some(1));
  await runtime.advance(1);
  expect(told()).toEqual(wanted);
  gossip.close();
});

it("relays transactions that a consensus node sent to all others only if they stay pending", async () => {
  const transactions = some(1);
  for (const [types, wanted] of [
    [
      [cn, cn, cn],
      [0, 2],
    ],
    [
      [cn, cn, cn, cn, cn],
      [3, 4],
    ],
  ] as const) {
    const { gossip, runtime, pending, notify, told, peers } = gossiping(cn, types);
    peers[0]?.knownTransactions.add(transactionKey(transactions[0] as Transaction));
    pending.set("0x01", transactions);
    notify(transactions);
    const sum = () => told().reduce((all, count) => all + count);
    await runtime.advance(59_999);
    const before = sum();
    await runtime.advance(1);
    expect([before, sum()]).toEqual(wanted);
    expect(told()[0]).toBe(0);
    gossip.close();
  }
});

it("sends no peer what it is known to have, and rotates among peers of its type", async () => {
  const { gossip, runtime, notify, told } = gossiping(cn, [cn, cn, cn, cn, cn, cn]);
  const [transaction] = some(1) as [Transaction];
  for (let i = 0; i < 2; i++) {
    notify([transaction]);
    await runtime.advance(51);
  }
  expect(told()).toEqual([1, 1, 1, 1, 1, 1]);
  gossip.close();
});

it("sends immediately after a pause, and batches what arrives during one", async () => {
  const { gossip, runtime, notify, told, payloads } = gossiping(en, [cn]);
  const [first, ...others] = some(4) as [Transaction, ...Transaction[]];
  notify([first]);
  await runtime.advance(1);
  expect(told()).toEqual([1]);
  for (const other of others) {
    notify([other]);
    await runtime.advance(10);
  }
  expect(told()).toEqual([1]);
  await runtime.advance(20);
  expect([told(), payloads.size]).toEqual([[4], 2]);
  await runtime.advance(1_000);
  gossip.close();
});

it("encodes a message once for peers that lack the same, and separately for others", async () => {
  const { gossip, runtime, notify, told, payloads, peers } = gossiping(en, [cn, cn, pn, en]);
  const transactions = some(20);
  peers[1]?.knownTransactions.add(transactionKey(transactions[7] as Transaction));
  notify(transactions);
  await runtime.advance(1);
  expect(told()).toEqual([20, 19, 20, 20]);
  expect(payloads.size).toBe(3);
  gossip.close();
});

it.each<[string, number, readonly number[], readonly number[]]>([
  ["to two consensus nodes", en, [cn, cn, cn, pn], [1, 1, 0, 0]],
  ["from an endpoint to proxies and endpoints where it has no others", en, [pn, en, en], [1, 1, 0]],
  ["from a proxy to no endpoint", pn, [cn, en, en], [1, 0, 0]],
  ["from no consensus node", cn, [cn, pn, en], [0, 0, 0]],
])("sends what stays executable for four seconds again %s", async (_, own, types, wanted) => {
  const { gossip, runtime, pending, told, peers } = gossiping(own, types);
  pending.set("0x01", some(1));
  for (const peer of peers) gossip.sendPendingTo(peer);
  const before = told();
  await runtime.advance(7_999);
  expect(told()).toEqual(before);
  await runtime.advance(1);
  expect(told().map((count, i) => count - (before[i] ?? 0))).toEqual(wanted);
  pending.clear();
  await runtime.advance(60_000);
  expect(told().map((count, i) => count - (before[i] ?? 0))).toEqual(wanted);
  gossip.close();
});

it("resends at most a thousand, and nothing to a peer that does not read", async () => {
  const { gossip, runtime, pending, told, peers } = gossiping(en, [cn, cn]);
  pending.set("0x01", some(1_500));
  Object.assign((peers[1] as ChainPeer).session, { unsent: 5 << 20 });
  await runtime.advance(8_000);
  expect(told()).toEqual([1_000, 0]);
  gossip.close();
  await runtime.advance(60_000);
  expect(told()).toEqual([1_000, 0]);
});

it("sends a new peer the pending transactions in turns, until it leaves or does not read", async () => {
  const { gossip, runtime, pending, told, peers } = gossiping(en, [cn, cn, cn]);
  const [patient, leaving, full] = [...peers] as [ChainPeer, ChainPeer, ChainPeer];
  pending.set("0x01", some(1_000));
  pending.set("0x02", some(1_500).slice(1_000));
  for (const peer of [patient, leaving, full]) gossip.sendPendingTo(peer);
  expect(told()).toEqual([256, 256, 256]);
  peers.splice(peers.indexOf(leaving), 1);
  Object.assign(full.session, { unsent: 5 << 20 });
  await runtime.advance(100);
  expect(told()).toEqual([1_500, 256, 256]);
  gossip.close();
});

it("stops sending the pending transactions when closed", async () => {
  const { gossip, runtime, pending, told, peers } = gossiping(en, [cn]);
  pending.set("0x01", some(1_000));
  gossip.sendPendingTo(peers[0] as ChainPeer);
  gossip.close();
  await runtime.advance(100);
  expect(told()).toEqual([256]);
});
