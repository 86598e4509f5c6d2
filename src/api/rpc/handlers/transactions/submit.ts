import { TransactionPoolError } from "../../../../ledger/txpool/errors.ts";
import type { TransactionPool } from "../../../../ledger/txpool/pool.ts";
import { concat, type Hash } from "../../../../protocol/primitives/bytes.ts";
import { NodeError } from "../../../../protocol/primitives/errors.ts";
import { decodeTransaction, isLong } from "../../../../protocol/transaction/decoding.ts";
import { MAX_TRANSACTION_SIZE } from "../../../../protocol/transaction/encoding.ts";
import type { Transaction } from "../../../../protocol/transaction/transaction.ts";
import { ETHEREUM_ENVELOPE } from "../../../../protocol/transaction/type-table.ts";
import { PREPARE_CHUNK } from "../../engine/batch-preparation.ts";
import { refused } from "../../engine/errors.ts";

/** In front of the type byte of Ethereum typed transactions. */
const ENVELOPE = Uint8Array.of(ETHEREUM_ENVELOPE);

/** Adds encoded transactions to the pool. */
export class RawSubmission {
  readonly #pool: TransactionPool;
  readonly #bare: boolean;
  /** Transactions decoded ahead, by their encoding. */
  readonly #prepared = new WeakMap<Uint8Array, Transaction>();

  /** @param bare - whether a first byte below 0x7f is Ethereum's type, as in the eth namespace */
  constructor(pool: TransactionPool, bare: boolean) {
    this.#pool = pool;
    this.#bare = bare;
  }

  /** Adds one. @throws RpcError, or what decoding and the pool throw */
  async submit(raw: Uint8Array): Promise<Hash> {
    if (this.#bare && raw.length === 0) throw refused("Empty input");
    return await this.#pool.add(this.#prepared.get(raw) ?? this.#decode(raw), { local: true });
  }

  /** Prepares for transactions that are submitted one by one afterwards. */
  async prepareBatch(raws: readonly Uint8Array[]): Promise<void> {
    const transactions: Transaction[] = [];
    for (const raw of raws) {
      try {
        const transaction = this.#decode(raw);
        this.#prepared.set(raw, transaction);
        transactions.push(transaction);
      } catch {
        // Submitting it reports the error.
      }
    }
    await this.#pool.recoverAhead(transactions);
  }

  /** What the pool refuses for its size is not even decoded: a transaction may have thousands of keys, each of which is checked. */
  #decode(raw: Uint8Array): Transaction {
    const enveloped = this.#bare ? withEnvelope(raw) : raw;
    if (isLong(enveloped, MAX_TRANSACTION_SIZE))
      throw new TransactionPoolError("OVERSIZED", "oversized data");
    return decodeTransaction(enveloped);
  }
}

/**
 * Adds encoded transactions up to the first that is rejected.
 * @throws RpcError -32000 `Index n: …` of that one
 */
export async function submitRaws(pool: TransactionPool, raws: readonly Uint8Array[]): Promise<Hash[]> {
  if (raws.length === 0) throw refused("Empty input");
  const submission = new RawSubmission(pool, true);
  const hashes: Hash[] = [];
  for (const [index, raw] of raws.entries()) {
    if (index % PREPARE_CHUNK === 0) await submission.prepareBatch(raws.slice(index, index + PREPARE_CHUNK));
    if (raw.length === 0) throw refused(`Index ${index}: empty input`);
    try {
      hashes.push(await submission.submit(raw));
    } catch (error) {
      throw error instanceof NodeError ? refused(`Index ${index}: ${error.message}`) : error;
    }
  }
  return hashes;
}

/** Wraps an Ethereum typed transaction in Kaia's envelope; others stay as they are. */
export function withEnvelope(raw: Uint8Array): Uint8Array {
  const first = raw[0] as number;
  return first > 0 && first < 0x7f ? concat(ENVELOPE, raw) : raw;
}
