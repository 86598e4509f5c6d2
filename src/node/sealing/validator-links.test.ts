import { expect, it } from "vitest";
import type { ValidatorSets } from "../../ledger/extensions/valset/validator-sets.ts";
import type { IstanbulEngine } from "../../network/consensus/istanbul/engine/istanbul-engine.ts";
import type { ValidatorPeer } from "../../network/consensus/istanbul/engine/validator-peer.ts";
import { openRecorded, readFixture } from "../../network/consensus/testing/recorded-chain.ts";
import { EMPTY_BYTES, ZERO_HASH } from "../../protocol/primitives/bytes.ts";
import { ValidatorLinks, validatorsOf } from "./validator-links.ts";

const { chain, extensions } = await openRecorded(readFixture("bft4/genesis.json").toString());
const peerOf = (byte: number): ValidatorPeer => ({ address: new Uint8Array(20).fill(byte), send() {} });
const MESSAGE = { previousHash: ZERO_HASH, payload: EMPTY_BYTES };

it("connects the engine with those connected at the time, and tells each newcomer the recent messages", () => {
  const links = new ValidatorLinks();
  const network = validatorsOf({ chain, extensions }, links);
  const [early, late] = [peerOf(1), peerOf(2)];
  // The network may begin before the engine does.
  network.connected(early);
  network.receive(early, MESSAGE);
  const told: ValidatorPeer[] = [];
  const received: unknown[][] = [];
  links.engine = {
    sendRecentTo: (peer) => told.push(peer),
    receive: (...args) => received.push(args),
  } as Partial<IstanbulEngine> as IstanbulEngine;
  network.connected(late);
  network.receive(early, MESSAGE);
  expect([...links.peers]).toEqual([early, late]);
  expect(told).toEqual([late]);
  expect(received).toEqual([[early, MESSAGE]]);
  network.disconnected(early);
  expect([...links.peers]).toEqual([late]);
});

it("gives a seat to who is in the council of the next block", () => {
  const seated = peerOf(3).address;
  const council = (number: bigint) => (number === chain.tip.header.number + 1n ? [seated] : []);
  const validators = { council } as unknown as ValidatorSets;
  const network = validatorsOf({ chain, extensions: { ...extensions, validators } }, new ValidatorLinks());
  expect([seated, peerOf(4).address].map((address) => network.hasSeat(address))).toEqual([true, false]);
});
