import { describe, expect, it } from "vitest";
import { concat } from "../primitives/bytes.ts";
import { bytesToHex } from "../primitives/hex.ts";
import { createTransaction, decodeTransactions, encodeTransaction, transactionHash } from "./envelope.ts";
import { recoverSigners } from "./signatures/signers.ts";
import { readRecorded, readTransactionLists } from "./testing/fixtures.ts";

describe.each([
  ["all-types", 2019n],
  ["forks", 2020n],
  ["load-evm", 2022n],
] as const)("the transactions of chain %s", (chain, chainId) => {
  const blocks = readTransactionLists(chain).map((payload) => ({
    payload,
    txs: decodeTransactions(payload),
  }));

  it("encode to the bytes of the blocks", () => {
    for (const { payload, txs } of blocks) {
      expect(concat(...txs.map((tx) => encodeTransaction(createTransaction(tx))))).toEqual(payload);
    }
  });

  it("have the hashes and senders recorded from the reference", () => {
    for (const [number, recorded] of readRecorded(chain)) {
      const txs = blocks[Number(number) - 1]?.txs ?? [];
      expect(txs.map((tx) => bytesToHex(transactionHash(tx)))).toEqual(recorded.map((one) => one.hash));
      const senders = txs.map((tx) => bytesToHex(recoverSigners(tx, chainId).sender));
      expect(senders).toEqual(recorded.map((one) => one.kaia["from"]));
    }
  });
});
