import { describe, expect, it } from "vitest";
import { newEoa } from "../../protocol/account/account.ts";
import { decodeTransaction } from "../../protocol/transaction/decoding.ts";
import { encodeTransaction } from "../../protocol/transaction/encoding.ts";
import { knownSigners } from "../../protocol/transaction/signatures/signers.ts";
import { signAsFeePayer } from "../../protocol/transaction/signatures/signing.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";
import { CHAIN_ID, createPool, tx, WALLETS } from "./testing/pool.ts";
import { transfer } from "./testing/transactions.ts";

/** Another object, whose signers are unknown. */
const copy = (transaction: Transaction) => decodeTransaction(encodeTransaction(transaction));

describe("recoverAhead", () => {
  it("recovers the signers of new transactions, and adds nothing", async () => {
    const { pool } = createPool();
    await pool.add(tx(0, 0), { local: true });
    const [again, next] = [tx(0, 0), tx(0, 1)].map(copy) as [Transaction, Transaction];
    await pool.recoverAhead([again, next]);
    expect(knownSigners(again, CHAIN_ID)).toBeUndefined();
    expect(knownSigners(next, CHAIN_ID)?.sender).toEqual(WALLETS[0].address);
    expect(pool.status()).toEqual({ pending: 1, queued: 0 });
  });

  it("does nothing for a full pool, which would reject them without recovery", async () => {
    const { pool } = createPool({ execSlotsAll: 1, nonExecSlotsAll: 0 });
    await pool.add(tx(0, 0), { local: true });
    const next = copy(tx(0, 1));
    await pool.recoverAhead([next]);
    expect(knownSigners(next, CHAIN_ID)).toBeUndefined();
  });
});

describe("a transaction that is too large", () => {
  it("is refused without recovering its signers", async () => {
    const { pool } = createPool();
    const input = new Uint8Array(4 * 32_768);
    const parts = { nonce: 0n, gasPrice: 25n * 10n ** 9n, input };
    const sent = transfer(WALLETS[0], parts, CHAIN_ID, "TxTypeLegacyTransaction");
    const [large, other] = [copy(sent), copy(sent)];
    await expect(pool.add(large, { local: true })).rejects.toThrow("oversized data");
    await pool.recoverAhead([other]);
    expect([large, other].map((one) => knownSigners(one, CHAIN_ID))).toEqual([undefined, undefined]);
  });
});

describe("a transaction with more signatures than a key has keys", () => {
  const sent = tx(0, 0);
  const delegated = () => {
    const payer = WALLETS[1];
    const parts = { nonce: 0n, feePayer: payer.address, feePayerSignatures: [] };
    const signed = transfer(WALLETS[0], parts, CHAIN_ID, "TxTypeFeeDelegatedValueTransfer");
    return signAsFeePayer(signed, [payer.privateKey], CHAIN_ID);
  };
  const eleven = <T>([signature]: readonly T[]): T[] => Array<T>(11).fill(signature as T);

  it.each([
    ["sender", () => copy({ ...sent, signatures: eleven(sent.signatures) })],
    [
      "fee payer",
      () => copy({ ...delegated(), feePayerSignatures: eleven(delegated().feePayerSignatures ?? []) }),
    ],
  ])("is refused without recovering those of its %s", async (role, create) => {
    const { pool } = createPool();
    const [one, other] = [create(), create()];
    await expect(pool.add(one, { local: true })).rejects.toThrow(`invalid ${role}: invalid account key`);
    await pool.recoverAhead([other]);
    expect([one, other].map((each) => knownSigners(each, CHAIN_ID))).toEqual([undefined, undefined]);
  });
});

describe("addAll", () => {
  it("returns a result for each transaction", async () => {
    const { pool } = createPool();
    const results = await pool.addAll([tx(0, 0), tx(0, 0), tx(1, 0)], { local: true });
    expect(
      results.map((result) => (result instanceof Error ? result.message.slice(0, 17) : "accepted")),
    ).toEqual(["accepted", "known transaction", "accepted"]);
  });
});

describe("an account with delegated code", () => {
  it("has one transaction at a time, which may be replaced", async () => {
    const { pool, poolChain } = createPool();
    const { key } = WALLETS[0];
    poolChain.accounts.set(key, { ...newEoa(10n ** 20n), codeHash: new Uint8Array(32).fill(1) });
    const add = (nonce: number, price?: number) => pool.add(tx(0, nonce, price), { local: true });
    await expect(add(1)).rejects.toThrow("gapped-nonce tx from delegated accounts");
    await add(0);
    await expect(add(1)).rejects.toThrow("in-flight transaction limit reached for delegated accounts");
    await add(0, 28);
    expect([pool.status(), pool.tally.pending.replaced]).toEqual([{ pending: 1, queued: 0 }, 1]);
  });
});
