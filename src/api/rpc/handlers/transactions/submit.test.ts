import { describe, expect, it } from "vitest";
import type { TransactionPool } from "../../../../ledger/txpool/pool.ts";
import { transfer, wallet } from "../../../../ledger/txpool/testing/transactions.ts";
import { encodeList } from "../../../../protocol/codec/rlp/list.ts";
import { concat } from "../../../../protocol/primitives/bytes.ts";
import {
  encodeTransaction,
  MAX_TRANSACTION_SIZE,
  transactionSize,
} from "../../../../protocol/transaction/encoding.ts";
import { transactionHash } from "../../../../protocol/transaction/hash.ts";
import type { Transaction } from "../../../../protocol/transaction/transaction.ts";
import { RawSubmission, submitRaws } from "./submit.ts";

function setUp(bare = false) {
  const prepared: Transaction[] = [];
  const added: Transaction[] = [];
  const pool: Pick<TransactionPool, "add" | "recoverAhead"> = {
    async add(transaction) {
      added.push(transaction);
      return transactionHash(transaction);
    },
    async recoverAhead(transactions) {
      prepared.push(...transactions);
    },
  };
  return {
    pool: pool as TransactionPool,
    prepared,
    added,
    submission: new RawSubmission(pool as TransactionPool, bare),
  };
}

const raw = (nonce: bigint) => encodeTransaction(transfer(wallet(0), { nonce }, 7n));
const legacy = (nonce: bigint) =>
  encodeTransaction(transfer(wallet(0), { nonce, input: new Uint8Array() }, 7n, "TxTypeLegacyTransaction"));

describe("submission of encoded transactions", () => {
  it.each([
    [false, "TxTypeLegacyTransaction"],
    [false, "TxTypeValueTransferMemo"],
    [false, "TxTypeEthereumDynamicFee"],
    [true, "TxTypeEthereumDynamicFee"],
  ] as const)(
    "takes what the pool takes, whose limit does not count the type (bare: %s, %s)",
    async (bare, type) => {
      const most = MAX_TRANSACTION_SIZE;
      const of = (bytes: number) =>
        transfer(wallet(0), { nonce: 0n, input: new Uint8Array(bytes) }, 7n, type);
      const other = transactionSize(of(most - 1_000)) - (most - 1_000);
      const [fits, long] = [of(most - other), of(most - other + 1)];
      expect([fits, long].map(transactionSize)).toEqual([most, most + 1]);
      const encode = (tx: Transaction) => encodeTransaction(tx).subarray(bare ? 1 : 0);
      const { submission, added, prepared } = setUp(bare);
      await submission.submit(encode(fits));
      expect(added).toHaveLength(1);
      await submission.prepareBatch([encode(long)]);
      await expect(submission.submit(encode(long))).rejects.toThrow("oversized data");
      expect([added.length, prepared.length]).toEqual([1, 0]);
    },
  );

  it("does not decode what is too large for the pool, unless a sidecar may be part of it", async () => {
    const garbage = encodeList([new Uint8Array(MAX_TRANSACTION_SIZE)]);
    const { submission, added } = setUp();
    for (const prefix of [[], [0x20], [0x78, 0x02]])
      await expect(submission.submit(concat(Uint8Array.from(prefix), garbage))).rejects.toThrow(
        "oversized data",
      );
    for (const prefix of [[0x78, 0x03], [0x7f], [0x78]])
      await expect(submission.submit(concat(Uint8Array.from(prefix), garbage))).rejects.not.toThrow(
        "oversized",
      );
    expect(added).toEqual([]);
  });

  it("decodes prepared transactions once, and does not add them yet", async () => {
    const { prepared, added, submission } = setUp();
    const [first, second] = [raw(0n), raw(1n)] as const;
    await submission.prepareBatch([first, second]);
    expect(prepared.map(({ nonce }) => nonce)).toEqual([0n, 1n]);
    expect(added).toEqual([]);
    await submission.submit(second);
    await submission.submit(raw(2n));
    expect(added[0]).toBe(prepared[1]);
    expect(added[1]?.nonce).toBe(2n);
  });

  it("skips undecodable transactions, which fail when submitted", async () => {
    const { prepared, submission } = setUp();
    const broken = Uint8Array.of(0xc1);
    await submission.prepareBatch([new Uint8Array(), broken, raw(0n)]);
    expect(prepared).toHaveLength(1);
    await expect(submission.submit(broken)).rejects.toThrow("rlp");
    await expect(setUp(true).submission.submit(new Uint8Array())).rejects.toThrow("Empty input");
  });

  it("decodes several once, and says which is rejected", async () => {
    const { pool, prepared, added } = setUp();
    const hashes = await submitRaws(pool, [legacy(0n), legacy(1n)]);
    expect(hashes).toEqual(prepared.map(transactionHash));
    expect(added.map((transaction, i) => transaction === prepared[i])).toEqual([true, true]);
    await expect(submitRaws(pool, [legacy(2n), Uint8Array.of(0xc1), legacy(3n)])).rejects.toThrow(
      "Index 1: rlp",
    );
    expect(added).toHaveLength(3);
  });
});
