import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { bench, describe } from "vitest";
import { RlpReader } from "../src/protocol/codec/rlp/reader.ts";
import { keccak256 } from "../src/protocol/crypto/keccak.ts";
import {
  decodeTransactions,
  encodeTransaction,
  signingHash,
  transactionHash,
} from "../src/protocol/transaction/envelope.ts";
import { recoverSigners } from "../src/protocol/transaction/signatures/signers.ts";

/** Rates are per block of the chain `all-types`, 734 transactions of all types; divide to compare. */
const CHAIN_ID = 2019n;
const file = new URL("../test/fixtures/chains/all-types/chain.rlp.gz", import.meta.url);
const payloads = transactionLists(new Uint8Array(gunzipSync(readFileSync(file))));
const decoded = payloads.flatMap(decodeTransactions);
const raws = decoded.map(encodeTransaction);

function transactionLists(chain: Uint8Array): Uint8Array[] {
  const reader = new RlpReader(chain);
  const lists: Uint8Array[] = [];
  while (!reader.atEnd) {
    reader.enterList("block");
    reader.raw();
    const list = reader.raw();
    const inside = new RlpReader(list);
    inside.enterList("transactions");
    lists.push(list.subarray(inside.position));
    reader.leaveList();
  }
  return lists;
}

describe(`${decoded.length} transactions of all types`, () => {
  bench("keccak of the encodings, the floor", () => {
    for (const raw of raws) keccak256(raw);
  });

  bench("decode", () => {
    for (const payload of payloads) decodeTransactions(payload);
  });

  bench("decode and hash", () => {
    for (const payload of payloads) decodeTransactions(payload).forEach(transactionHash);
  });

  bench("signing hash", () => {
    for (const tx of decoded) signingHash(tx, CHAIN_ID);
  });

  bench(
    "decode, hash and recover",
    () => {
      for (const payload of payloads) {
        for (const tx of decodeTransactions(payload)) {
          transactionHash(tx);
          recoverSigners(tx, CHAIN_ID);
        }
      }
    },
    { iterations: 3, time: 500 },
  );
});
