import { expect, it } from "vitest";
import { transfer, wallet } from "../../ledger/txpool/testing/transactions.ts";
import { transactionHash } from "../../protocol/transaction/hash.ts";
import { CHAIN_MESSAGES } from "./chain-messages.ts";
import { decodeInSteps } from "./codec.ts";

const { codec } = CHAIN_MESSAGES.transactions;
const some = Array.from({ length: 100 }, (_, nonce) => transfer(wallet(1), { nonce: BigInt(nonce) }, 1n));

it("decodes a message of many transactions in steps, yielding in between", async () => {
  let asked = 0;
  let turns = 0;
  const pace = { isDue: () => ++asked % 2 === 0, yield: async () => void turns++ };
  const read = await decodeInSteps(codec, codec.write(some), pace);
  expect(read.map(transactionHash)).toEqual(some.map(transactionHash));
  expect([asked, turns]).toEqual([6, 3]);
});

it("rejects trailing bytes, and elements that are not transactions", async () => {
  const payload = codec.write(some);
  const pace = { isDue: () => false, yield: () => Promise.reject(new Error("not asked")) };
  await expect(decodeInSteps(codec, Uint8Array.of(...payload, 0x80), pace)).rejects.toThrow(
    "more than one value",
  );
  await expect(decodeInSteps(codec, Uint8Array.of(0xc1, 0xc0), pace)).rejects.toThrow("too few elements");
});
