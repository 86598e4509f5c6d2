import { describe, expect, it } from "vitest";
import { recoverRows } from "../../protocol/transaction/signatures/recovery.ts";
import { knownSigners } from "../../protocol/transaction/signatures/signers.ts";
import { signTransaction } from "../../protocol/transaction/signatures/signing.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";
import { TRANSACTION_TYPES } from "../../protocol/transaction/type-table.ts";
import { TypeCode } from "../../protocol/transaction/types.ts";
import { createTransaction, TransactionValue } from "../../protocol/transaction/value.ts";
import { createRecoveryPool } from "./recovery-pool.ts";

const CHAIN = 7n;
const type = TRANSACTION_TYPES.find(({ code }) => code === TypeCode.legacy);
const signed = signTransaction(
  createTransaction({
    type: type as NonNullable<typeof type>,
    to: new Uint8Array(20),
    input: new Uint8Array(0),
  }),
  [new Uint8Array(32).fill(1)],
  CHAIN,
);
/** Copies, of which none is recovered yet. */
const copies = (count: number): readonly Transaction[] =>
  Array.from({ length: count }, () => new TransactionValue(signed));
const areKnown = (transactions: readonly Transaction[]) =>
  transactions.every((tx) => knownSigners(tx, CHAIN) !== undefined);

function watched() {
  const jobs: number[] = [];
  const thread = {
    async ask(payload: Uint8Array) {
      const rows = recoverRows(payload, CHAIN);
      jobs.push(payload.length);
      return rows;
    },
    close: async () => undefined,
  };
  return { jobs, pool: createRecoveryPool(CHAIN, [thread]) };
}

describe("recovery on other cores", () => {
  it("starts after many signatures in batches of several jobs, and then takes small ones too", async () => {
    const { jobs, pool } = watched();
    const batch = copies(1_025);
    for (let i = 0; i < 7; i++) await pool.recover(batch);
    expect(jobs).toHaveLength(0);
    await pool.recover(batch);
    expect(jobs).toHaveLength(5);
    const [small, few] = [copies(64), copies(63)];
    await pool.recover(small);
    expect(jobs).toHaveLength(6);
    await pool.recover(few);
    expect(jobs).toHaveLength(6);
    expect([batch, small, few].map(areKnown)).toEqual([true, true, true]);
  });

  it("starts immediately for a large batch, and never for small ones", async () => {
    const { jobs, pool } = watched();
    const small = copies(256);
    for (let i = 0; i < 40; i++) await pool.recover(small);
    expect(jobs).toHaveLength(0);
    await pool.recover(copies(8_193));
    expect(jobs).toHaveLength(33);
  });

  it("yields between chunks of local recovery", async () => {
    let turns = 0;
    const count = () => {
      turns++;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    const batch = copies(1_000);
    await createRecoveryPool(CHAIN, []).recover(batch);
    clearImmediate(timer);
    expect(areKnown(batch)).toBe(true);
    expect(turns).toBeGreaterThanOrEqual(3);
  });
});
