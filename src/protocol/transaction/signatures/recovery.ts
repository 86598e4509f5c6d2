import { recoverPublicKeys } from "../../crypto/recovery/recover-public-keys.ts";
import { decodeTransactions } from "../decoding.ts";
import { encodeTransaction, withoutSidecar } from "../encoding.ts";
import { TransactionError } from "../errors.ts";
import { transactionHash } from "../hash.ts";
import type { Transaction } from "../transaction.ts";
import { cacheOf, type Signers } from "../value.ts";
import { keepSignerKeys, knownSigners, signedHashes } from "./signers.ts";

/** Recovers the signers of many transactions ahead of their use: inline, or on other cores. */
export interface SenderRecovery {
  /**
   * Recovers and caches hash and signers of each, for `transactionHash` and `recoverSigners`.
   * A transaction with invalid signatures is skipped: `recoverSigners` reports what is wrong with it.
   */
  recover(transactions: readonly Transaction[], signal?: AbortSignal): Promise<void>;
}

/** Recovery in this thread. */
export function createInlineRecovery(chainId: bigint): SenderRecovery {
  return {
    async recover(transactions, signal) {
      for (let i = 0; i < transactions.length; i += TOGETHER) {
        signal?.throwIfAborted();
        recoverTogether(transactions.slice(i, i + TOGETHER), chainId);
      }
    },
  };
}

/** Transactions recovered between two checks of the signal: about 10 ms. */
const TOGETHER = 256;

/** A transaction with well-formed signatures, and the hash that each of its signers signed. */
interface Signed {
  readonly tx: Transaction;
  readonly signed: ReturnType<typeof signedHashes>;
}

/** Recovers and caches the signers of all transactions with valid signatures. */
function recoverTogether(transactions: readonly Transaction[], chainId: bigint): void {
  const asked: Signed[] = [];
  for (const tx of transactions) {
    if (knownSigners(tx, chainId) !== undefined) continue;
    unlessWrong(() => asked.push({ tx, signed: signedHashes(tx, chainId) }));
  }
  const keys = recoverPublicKeys(asked.flatMap(({ signed }) => [...signed.sender, ...signed.feePayer]));
  let at = 0;
  const take = (count: number): (Uint8Array | undefined)[] => {
    at += count;
    return keys.slice(at - count, at);
  };
  for (const { tx, signed } of asked) {
    const senderKeys = take(signed.sender.length);
    const feePayerKeys = take(signed.feePayer.length);
    if (areFound(senderKeys) && areFound(feePayerKeys))
      unlessWrong(() => keepSignerKeys(tx, chainId, senderKeys, feePayerKeys));
  }
}

function areFound(keys: readonly (Uint8Array | undefined)[]): keys is readonly Uint8Array[] {
  return !keys.includes(undefined);
}

function unlessWrong(step: () => void): void {
  try {
    step();
  } catch (error) {
    if (!(error instanceof TransactionError)) throw error;
  }
}

/**
 * Bytes of one recovered transaction between threads: status (1: recovered, 2: with a fee payer, 0: to be recovered on
 * use), hash (32), sender (20), the sender's key (64), the fee payer's key (64).
 */
export const RECOVERY_ROW_BYTES = 181;
const HASH = 1;
const SENDER = 33;
const SENDER_KEY = 53;
const FEE_PAYER_KEY = 117;

/** The input of another thread: the concatenated encodings, in a transferable buffer of their own. */
export function recoveryPayload(transactions: readonly Transaction[]): Uint8Array {
  const encoded = transactions.map((tx) => encodeTransaction(withoutSidecar(tx)));
  const payload = new Uint8Array(encoded.reduce((sum, raw) => sum + raw.length, 0));
  let at = 0;
  for (const raw of encoded) {
    payload.set(raw, at);
    at += raw.length;
  }
  return payload;
}

/**
 * Recovers the transactions of a `recoveryPayload`. Pure, for use in another thread.
 * @returns one row of `RECOVERY_ROW_BYTES` per transaction; invalid and multiple signatures give an empty row
 */
export function recoverRows(payload: Uint8Array, chainId: bigint): Uint8Array {
  const transactions = decodeTransactions(payload);
  const rows = new Uint8Array(transactions.length * RECOVERY_ROW_BYTES);
  recoverTogether(transactions, chainId);
  for (const [i, tx] of transactions.entries()) {
    const signers = knownSigners(tx, chainId);
    if (signers !== undefined) writeRow(rows, i * RECOVERY_ROW_BYTES, tx, signers);
  }
  return rows;
}

function writeRow(
  rows: Uint8Array,
  at: number,
  tx: Transaction,
  { sender, senderKeys, feePayerKeys }: Signers,
): void {
  const [senderKey, ...more] = senderKeys;
  const delegated = tx.type.feeMode !== "sender";
  if (senderKey === undefined || more.length > 0 || feePayerKeys.length !== (delegated ? 1 : 0)) return;
  rows[at] = delegated ? 2 : 1;
  rows.set(transactionHash(tx), at + HASH);
  rows.set(sender, at + SENDER);
  rows.set(senderKey, at + SENDER_KEY);
  if (feePayerKeys[0] !== undefined) rows.set(feePayerKeys[0], at + FEE_PAYER_KEY);
}

/** Caches the results of `recoverRows` for these transactions, in order. Copied: a view would keep the rows of all of them alive. */
export function keepRows(transactions: readonly Transaction[], rows: Uint8Array, chainId: bigint): void {
  for (let i = 0, at = 0; i < transactions.length; i++, at += RECOVERY_ROW_BYTES) {
    const status = rows[at];
    if (status === 0) continue;
    const tx = transactions[i] as Transaction;
    const cache = cacheOf(tx);
    cache.hash = rows.slice(at + HASH, at + SENDER);
    const feePayerKeys = status === 2 ? [rows.slice(at + FEE_PAYER_KEY, at + RECOVERY_ROW_BYTES)] : [];
    const sender = tx.from ?? rows.slice(at + SENDER, at + SENDER_KEY);
    const senderKeys = [rows.slice(at + SENDER_KEY, at + FEE_PAYER_KEY)];
    cache.signers = { chainId, value: { sender, senderKeys, feePayerKeys } };
  }
}
