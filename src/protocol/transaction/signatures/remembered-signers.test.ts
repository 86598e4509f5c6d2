import { describe, expect, it } from "vitest";
import { transfer, wallet } from "../../../ledger/txpool/testing/transactions.ts";
import { decodeTransaction } from "../decoding.ts";
import { encodeTransaction } from "../encoding.ts";
import type { Transaction } from "../transaction.ts";
import { createInlineRecovery } from "./recovery.ts";
import { rememberSigners } from "./remembered-signers.ts";
import { knownSigners, recoverSigners } from "./signers.ts";

const CHAIN_ID = 1n;

/** Counts what reaches the recovery behind the memory. */
function counted(most?: number) {
  const reached: number[] = [];
  const inline = createInlineRecovery(CHAIN_ID);
  const recovery = rememberSigners(
    {
      recover(transactions) {
        reached.push(transactions.length);
        return inline.recover(transactions);
      },
    },
    CHAIN_ID,
    most,
  );
  return { recovery, reached };
}

/** The same transaction as another object, of which nothing is known. */
function again(tx: Transaction): Transaction {
  return decodeTransaction(encodeTransaction(tx));
}

describe("cached signers", () => {
  const [one, two, three] = [0n, 1n, 2n].map((nonce) => transfer(wallet(1), { nonce }, CHAIN_ID)) as [
    Transaction,
    Transaction,
    Transaction,
  ];

  it("recovers a transaction once, even as different objects", async () => {
    const { recovery, reached } = counted();
    await recovery.recover([again(one), again(two)]);
    const [copy, fresh] = [again(one), again(three)];
    await recovery.recover([copy, fresh]);
    expect(reached).toEqual([2, 1]);
    expect(knownSigners(copy, CHAIN_ID)).toEqual(recoverSigners(again(one), CHAIN_ID));
    await recovery.recover([copy]);
    expect(reached).toEqual([2, 1]);
  });

  it("does not confuse the same transaction with another signature", async () => {
    const { recovery, reached } = counted();
    await recovery.recover([again(one)]);
    const forged = { ...again(one), signatures: again(two).signatures };
    await recovery.recover([forged]);
    expect(reached).toEqual([1, 1]);
    expect(knownSigners(forged, CHAIN_ID)?.senderKeys).not.toEqual(recoverSigners(one, CHAIN_ID).senderKeys);
  });

  it("evicts the least recently used one", async () => {
    const { recovery, reached } = counted(2);
    await recovery.recover([again(one), again(two)]);
    await recovery.recover([again(one)]);
    await recovery.recover([again(three)]);
    await recovery.recover([again(one)]);
    await recovery.recover([again(two)]);
    expect(reached).toEqual([2, 1, 1]);
  });
});
