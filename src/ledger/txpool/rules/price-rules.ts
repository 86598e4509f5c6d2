import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import { TypeCode } from "../../../protocol/transaction/types.ts";
import { TransactionPoolError } from "../errors.ts";
import type { PoolHead } from "../head.ts";

/** Dynamic-fee and set-code transactions; blob transactions are checked like those with a single price. */
const CAPPED_TYPES: ReadonlySet<number> = new Set([TypeCode.dynamicFee, TypeCode.setCode]);

const UINT256_END = 1n << 256n;

/**
 * Checks a transaction's price: exactly the unit price before magma, at least the base fee from magma on.
 * @throws TransactionPoolError `INVALID_PRICE`
 */
export function checkPrice(transaction: Transaction, head: PoolHead): void {
  const capped = CAPPED_TYPES.has(transaction.type.code);
  if (capped) checkCaps(transaction);
  if (head.rules.magma) {
    if (transaction.gasPrice >= head.price) return;
    throw invalid(
      `invalid gas ${capped ? "fee cap" : "price"}. It must be set to value greater than or equal to baseFee`,
    );
  }
  if (!capped) {
    if (transaction.gasPrice !== head.price) throw invalid("invalid unit price");
    return;
  }
  const same = "It must be set to the same value as gas unit price";
  if (transaction.maxPriorityFeePerGas !== head.price) throw invalid(`invalid gas tip cap. ${same}`);
  if (transaction.gasPrice !== head.price) throw invalid(`invalid gas fee cap. ${same}`);
}

function checkCaps({ maxPriorityFeePerGas: tip = 0n, gasPrice: cap }: Transaction): void {
  if (tip >= UINT256_END) throw invalid("max priority fee per gas higher than 2^256-1");
  if (cap >= UINT256_END) throw invalid("max fee per gas higher than 2^256-1");
  if (cap < tip) throw invalid("max fee per gas higher than max priority fee per gas");
}

function invalid(text: string): TransactionPoolError {
  return new TransactionPoolError("INVALID_PRICE", text);
}
