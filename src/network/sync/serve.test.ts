import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
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
import { answerTo } from "./serve.ts";

// biome-ignore lint/suspicious/noExplicitAny: recorded JSON
type Recorded = any;

const { cases } = JSON.parse(
  readFileSync(new URL("../../../test/fixtures/vectors/network/serving.json", import.meta.url), "utf8"),
) as Recorded;
/** Trie nodes by hash are asked for by fast sync alone, and not kept by hash here. */
const NOT_SERVED = ["state roots"];

describe("answers of a node with the recorded chain", () => {
  let recorded: RecordedChain;

  beforeAll(async () => {
    recorded = await openRecorded(readFixture("all-types/genesis.json").toString());
    for (const block of recordedBlocks("all-types")) recorded.insert(block);
    await recorded.chain.published();
  }, 120_000);

  it.each(cases.filter(({ name }: Recorded) => !NOT_SERVED.includes(name)) as Recorded[])(
    "$name",
    (exchange) => {
      const name = messageName(exchange.code, 67) as MessageName;
      const request = decodeValue(CHAIN_MESSAGES[name].codec as never, hexToBytes(exchange.request)) as never;
      const stakingAt = (number: bigint) => recorded.extensions.staking.at(number);
      const answer = answerTo({ chain: recorded.chain, stakingAt }, name, request);
      expect(answer && CHAIN_MESSAGES[answer.name].code).toBe(exchange.answerCode);
      const payload = answer?.payload as Uint8Array;
      if (typeof exchange.answer === "string") expect(bytesToHex(payload)).toBe(exchange.answer);
      else expect(bytesToHex(keccak256(payload))).toBe(exchange.answer.keccak256);
    },
  );
});
