import type { TransactionPool } from "../../../../ledger/txpool/pool.ts";
import { concat, type Hash } from "../../../../protocol/primitives/bytes.ts";
import { NodeError } from "../../../../protocol/primitives/errors.ts";
import { decodeTransaction } from "../../../../protocol/transaction/decoding.ts";
import { ETHEREUM_ENVELOPE } from "../../../../protocol/transaction/type-table.ts";
import { refused } from "../../engine/errors.ts";

/** In front of the type byte of Ethereum typed transactions. */
const ENVELOPE = Uint8Array.of(ETHEREUM_ENVELOPE);

/**
 * Adds an encoded transaction to the pool.
 * @param bare whether a first byte below 0x7f is Ethereum's type, as in the eth namespace
 */
export async function submitRaw(pool: TransactionPool, raw: Uint8Array, bare: boolean): Promise<Hash> {
  if (bare && raw.length === 0) throw refused("Empty input");
  return pool.add(decodeTransaction(bare ? withEnvelope(raw) : raw), { local: true });
}

/**
 * Adds encoded transactions up to the first that is rejected.
 * @throws RpcError -32000 `Index n: …` of that one
 */
export async function submitRaws(pool: TransactionPool, raws: readonly Uint8Array[]): Promise<Hash[]> {
  if (raws.length === 0) throw refused("Empty input");
  const hashes: Hash[] = [];
  for (const [index, raw] of raws.entries()) {
    if (raw.length === 0) throw refused(`Index ${index}: empty input`);
    try {
      hashes.push(await pool.add(decodeTransaction(withEnvelope(raw)), { local: true }));
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
