import { expect, it } from "vitest";
import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import type { ValidatorPeer } from "./validator-peer.ts";
import { VoteRelay } from "./vote-relay.ts";

let nowMs = 0;
const connect = (last: number): ValidatorPeer => ({ address: new Uint8Array(20).fill(last), send() {} });
const message = (id: number, bytes = 8) => {
  const payload = new Uint8Array(bytes);
  new DataView(payload.buffer).setUint32(0, id);
  return payload;
};

it("limits the rate of a node across its connections, counting large messages as several", () => {
  const relay = new VoteRelay(() => [], { now: () => nowMs, elapsed: () => nowMs });
  let id = 0;
  const admitted = (peer: ValidatorPeer, count: number, bytes?: number) =>
    Array.from({ length: count }, () => relay.admit(peer, message(id++, bytes))).filter(Boolean).length;
  expect(admitted(connect(1), 5_000)).toBe(4_000);
  expect(admitted(connect(1), 5_000)).toBe(0);
  expect(admitted(connect(2), 10)).toBe(10);
  nowMs += 1_000;
  expect(admitted(connect(1), 5_000)).toBe(1_000);
  expect(admitted(connect(3), 10, 12 << 20)).toBe(5);
});

it("accepts a message once, whoever sends it", () => {
  const relay = new VoteRelay(() => [], { now: () => 0, elapsed: () => 0 });
  expect(relay.admit(connect(1), message(1))).toBeDefined();
  expect(relay.admit(connect(2), message(1))).toBeUndefined();
});

it("resends recent messages to new connections, with a rate limit and a size limit", () => {
  let elapsedMs = 0;
  const relay = new VoteRelay(() => [], { now: () => elapsedMs, elapsed: () => elapsedMs });
  const members = new Set([bytesToHex(connect(1).address), bytesToHex(connect(2).address)]);
  const say = (id: number, bytes?: number) =>
    relay.send({ previousHash: new Uint8Array(32), payload: message(id, bytes) }, String(id), members);
  const toldOnConnecting = (last: number) => {
    let count = 0;
    relay.sendRecentTo({ ...connect(last), send: () => count++ });
    return count;
  };
  for (let id = 0; id < 600; id++) say(id);
  expect(Array.from({ length: 5 }, () => toldOnConnecting(1))).toEqual([512, 512, 512, 512, 0]);
  expect([toldOnConnecting(2), toldOnConnecting(3)]).toEqual([512, 0]);
  elapsedMs += 10_000;
  expect([toldOnConnecting(1), toldOnConnecting(1)]).toEqual([512, 0]);
  for (let id = 600; id < 603; id++) say(id, 6 << 20);
  elapsedMs += 10_000;
  expect(toldOnConnecting(1)).toBe(2);
});
