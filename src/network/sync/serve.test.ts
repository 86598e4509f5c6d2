import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { SIDECAR } from "../../node/testing/blobs.ts";
import { keccak256 } from "../../protocol/crypto/keccak.ts";
import { bytesToHex, hexToBytes } from "../../protocol/primitives/hex.ts";
import {
  openRecorded,
  type RecordedChain,
  readFixture,
  recordedBlocks,
} from "../consensus/testing/recorded-chain.ts";
import { CHAIN_MESSAGES, type MessageName, messageName } from "../protocol/chain-messages.ts";
import { decodeValue } from "../protocol/codec.ts";
import type { SidecarPlace } from "../protocol/parts.ts";
import { NodesByHash } from "./nodes-by-hash.ts";
import { respondTo } from "./serve.ts";

// biome-ignore lint/suspicious/noExplicitAny: recorded JSON
type Recorded = any;

const { cases } = JSON.parse(
  readFileSync(new URL("../../../test/fixtures/vectors/network/serving.json", import.meta.url), "utf8"),
) as Recorded;
const pace = { isDue: () => false, yield: async () => {} };

describe("responses of a node with the recorded chain", () => {
  let recorded: RecordedChain;

  beforeAll(async () => {
    recorded = await openRecorded(readFixture("all-types/genesis.json").toString());
    for (const block of recordedBlocks("all-types")) await recorded.insert(block);
    await recorded.chain.published();
  }, 120_000);

  it("yields between two blocks of a response", async () => {
    const { chain, store } = recorded;
    const hashes = [1n, 2n, 3n].map((number) => chain.hash(number) as Uint8Array);
    for (const name of ["bodiesRequest", "bodiesFetch", "receiptsRequest"] as const) {
      let turns = 0;
      const served = { chain, nodes: new NodesByHash(store, chain) };
      const answer = respondTo(served, name, hashes, { isDue: () => true, yield: async () => void turns++ });
      expect((await answer)?.payload.length).toBeGreaterThan(3);
      expect(turns).toBe(3);
    }
  });

  it("serves headers for amounts that the reference's signed counter can hold", async () => {
    const { chain, store } = recorded;
    const served = { chain, nodes: new NodesByHash(store, chain) };
    const countOf = async (amount: bigint) => {
      const request = { origin: { number: 1n }, amount, skip: 0n, reverse: false };
      const answer = await respondTo(served, "headersRequest", request, pace);
      return decodeValue(CHAIN_MESSAGES.headers.codec, answer?.payload as Uint8Array).length;
    };
    const blocks = Number(chain.head.header.number);
    expect(await countOf(3n)).toBe(3);
    expect(await countOf(2n ** 63n - 1n)).toBe(blocks);
    expect(await countOf(2n ** 63n)).toBe(0);
  });

  it("serves four of the requested sidecars that it has", async () => {
    const { chain, store } = recorded;
    const places = [1n, 2n, 3n, 4n, 5n, 6n].map((blockNumber) => ({
      ...{ blockNumber, transactionIndex: 0n, transactionHash: new Uint8Array(32) },
    }));
    const sidecarAt = ({ blockNumber }: SidecarPlace) => (blockNumber === 2n ? undefined : SIDECAR);
    const served = { chain, nodes: new NodesByHash(store, chain), sidecarAt };
    const answer = await respondTo(served, "sidecarsRequest", places, pace);
    const sidecars = decodeValue(CHAIN_MESSAGES.sidecars.codec, answer?.payload as Uint8Array);
    expect(sidecars.map(({ blockNumber }) => blockNumber)).toEqual([1n, 3n, 4n, 5n]);
    expect(sidecars[0]?.sidecar.proofs).toEqual(SIDECAR.proofs);
  });

  it.each(cases as Recorded[])("$name", async (exchange) => {
    const name = messageName(exchange.code, 67) as MessageName;
    const request = decodeValue(CHAIN_MESSAGES[name].codec as never, hexToBytes(exchange.request)) as never;
    const { chain, store, extensions } = recorded;
    const stakingAt = (number: bigint) => extensions.staking.at(number);
    const served = { chain, nodes: new NodesByHash(store, chain), stakingAt };
    const answer = await respondTo(served, name, request, pace);
    expect(answer && CHAIN_MESSAGES[answer.name].code).toBe(exchange.answerCode);
    const payload = answer?.payload as Uint8Array;
    if (typeof exchange.answer === "string") expect(bytesToHex(payload)).toBe(exchange.answer);
    else expect(bytesToHex(keccak256(payload))).toBe(exchange.answer.keccak256);
  });
});
