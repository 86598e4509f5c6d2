import { expect, it } from "vitest";
import { transfer, wallet } from "../../ledger/txpool/testing/transactions.ts";
import { encodeList } from "../../protocol/codec/rlp/list.ts";
import { encodeTransaction, MAX_TRANSACTION_SIZE } from "../../protocol/transaction/encoding.ts";
import { transactionHash } from "../../protocol/transaction/hash.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";
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
  expect([asked, turns]).toEqual([7, 3]);
});

it("rejects trailing bytes, and elements that are not transactions", async () => {
  const payload = codec.write(some);
  const pace = { isDue: () => false, yield: () => Promise.reject(new Error("not asked")) };
  await expect(decodeInSteps(codec, Uint8Array.of(...payload, 0x80), pace)).rejects.toThrow(
    "more than one value",
  );
  await expect(decodeInSteps(codec, Uint8Array.of(0xc1, 0xc0), pace)).rejects.toThrow("too few elements");
});

it("skips transactions that are too long for the pool without decoding them", async () => {
  const pace = { isDue: () => false, yield: () => Promise.reject(new Error("not asked")) };
  const [first, second] = [some[0], some[1]].map((one) => encodeTransaction(one as Transaction));
  const garbage = (bytes: number) => encodeList([new Uint8Array(bytes - 4)]);
  const typed = (list: Uint8Array) => Buffer.concat([Uint8Array.of(0x20), list]); // TxTypeAccountUpdate
  const message = (...parts: Uint8Array[]) => encodeList(parts as Uint8Array[]);
  for (const long of [garbage(MAX_TRANSACTION_SIZE + 1), typed(garbage(MAX_TRANSACTION_SIZE + 1))]) {
    const read = await decodeInSteps(codec, message(first as Uint8Array, long, second as Uint8Array), pace);
    expect(read.map(transactionHash)).toEqual(some.slice(0, 2).map(transactionHash));
  }
  for (const read of [garbage(MAX_TRANSACTION_SIZE), typed(garbage(MAX_TRANSACTION_SIZE))])
    await expect(decodeInSteps(codec, message(read), pace)).rejects.toThrow();
});
