import { expect, it } from "vitest";
import { createSimulatedRuntime } from "../../platform/runtime/simulated.ts";
import type { Header } from "../../protocol/block/header.ts";
import { encodeHeader } from "../../protocol/block/header-codec.ts";
import { encodeItem } from "../../protocol/codec/rlp/item.ts";
import { encodeList } from "../../protocol/codec/rlp/list.ts";
import { bigintToBytes } from "../../protocol/primitives/bytes.ts";
import { recordedBlocks } from "../consensus/testing/recorded-chain.ts";
import type { PeerSession } from "../p2p/session/session.ts";
import { CHAIN_MESSAGES } from "../protocol/chain-messages.ts";
import type { PushedClaim } from "../protocol/parts.ts";
import { ChainPeer } from "./chain-peer.ts";

const OFFSET = 16;
const hash = new Uint8Array(32);
const own = { networkId: 1n, totalBlockScore: 1n, head: hash, genesis: hash, chainId: 1n };

/** A peer behind a session of the test's making. */
function meet(theirs: Partial<typeof own> = {}) {
  const runtime = createSimulatedRuntime();
  let handler: ((code: number, payload: Uint8Array) => unknown) | undefined;
  let end: (reason: number) => void = () => {};
  const sent: number[] = [];
  const reasons: number[] = [];
  const held: number[] = [];
  const session = {
    shared: [{ name: "istanbul", version: 67, codes: 26, offset: OFFSET }],
    ended: new Promise<number>((resolve) => {
      end = resolve;
    }),
    pace: { isDue: () => false, yield: async () => {} },
    start: (take: typeof handler) => {
      handler = take;
    },
    send: (code: number) => void sent.push(code - OFFSET),
    holds: (bytes: number) => void held.push(bytes),
    disconnect(reason: number) {
      reasons.push(reason);
      end(reason);
    },
  };
  const events = {
    ...{ announced() {}, block() {}, transactions() {}, consensus() {} },
    wants: (_peer: unknown, { header, totalBlockScore }: PushedClaim) =>
      totalBlockScore === header.number + 1n,
  };
  const counted: [string, number][] = [];
  const watch = {
    received: (name: string, bytes: number) => void counted.push([`${name} in`, bytes]),
    sent: (name: string, bytes: number) => void counted.push([`${name} out`, bytes]),
  };
  const parts = {
    timers: runtime.timers,
    served: { chain: {} as never, nodes: { find: async () => [] } },
    events,
    watch,
  };
  const peer = ChainPeer.handshake(session as unknown as PeerSession, own, parts);
  const take = (code: number, payload: Uint8Array) => handler?.(OFFSET + code, payload);
  const status = CHAIN_MESSAGES.status.codec.write({ protocolVersion: 67n, ...own, ...theirs });
  return { peer, take, status, sent, reasons, runtime, counted, held };
}

it("disconnects a peer that times out, since a late response would be mistaken for the next one", async () => {
  const { peer, take, status, reasons, runtime } = meet();
  await take(0, status);
  const asked = (await peer).request("bodiesRequest", [hash]);
  asked.catch(() => {});
  await runtime.advance(15_000);
  await expect(asked).rejects.toThrow("timeout waiting for bodies");
  expect(reasons).toEqual([11]);
});

it("reports each message, responses included, to its watch by name and size", async () => {
  const { peer, take, status, counted } = meet();
  await take(0, status);
  await peer;
  await take(0x0c, CHAIN_MESSAGES.nodeDataRequest.codec.write([hash]));
  expect(counted).toEqual([
    ["status out", status.length],
    ["status in", status.length],
    ["nodeDataRequest in", 34],
    ["nodeData out", 1],
  ]);
});

it("rejects a second status, and unsolicited responses", async () => {
  const { peer, take, status } = meet();
  await take(0, status);
  await peer;
  await expect(take(0, status)).rejects.toThrow("unsolicited status");
  await expect(take(0x08, Uint8Array.of(0xc0))).rejects.toThrow("unsolicited headers");
  await expect(take(0x10, Uint8Array.of(0xc0))).rejects.toThrow("unknown message");
});

it("accepts one response per request", async () => {
  const { peer, take, status } = meet();
  await take(0, status);
  const asked = (await peer).request("bodiesRequest", [hash]);
  await Promise.resolve();
  await take(0x0a, Uint8Array.of(0xc0));
  expect(await asked).toEqual([]);
  await expect(take(0x0a, Uint8Array.of(0xc0))).rejects.toThrow("unsolicited bodies");
});

it("rejects a head without a valid number", async () => {
  const { peer, take, status, reasons } = meet({ totalBlockScore: 2n ** 64n + 1n });
  peer.catch(() => {});
  await take(0, status);
  await expect(peer).rejects.toThrow("out of range");
  expect(reasons).toEqual([16]);
});

it("accepts nothing before the status", async () => {
  const { peer, take, runtime } = meet();
  peer.catch(() => {});
  await expect(take(0x06, Uint8Array.of(0xc0))).rejects.toThrow("transactions before status");
  await runtime.advance(5_000);
  await expect(peer).rejects.toThrow("timeout waiting for status");
});

it("reads the transactions of a pushed block only if the block is wanted", async () => {
  const { peer, take, status } = meet();
  await take(0, status);
  await peer;
  const [{ header }] = recordedBlocks("all-types") as unknown as [{ header: Header }];
  const garbage = encodeList([Uint8Array.of(0xc0)]);
  const pushed = (score: bigint) =>
    encodeList([encodeList([encodeHeader(header), garbage]), encodeItem(bigintToBytes(score))]);
  await take(0x0b, pushed(header.number + 2n));
  await expect(take(0x0b, pushed(header.number + 1n))).rejects.toThrow("too few elements");
});

it("tells the session how much memory decoded transactions take", async () => {
  const { peer, take, status, held } = meet();
  await take(0, status);
  await peer;
  const shortest = Uint8Array.of(0xc9, 0x80, 1, 1, 0x80, 0x80, 0x80, 0x25, 1, 1);
  await take(0x06, encodeList(Array.from({ length: 1_000 }, () => shortest)));
  expect(held.reduce((sum, bytes) => sum + bytes, 0)).toBe(1_000 * (1_024 + 256));
  expect(Math.max(...held)).toBe(16 * (1_024 + 256));
});
