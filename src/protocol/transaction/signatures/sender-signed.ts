import { decodeItem, encodeItem, type Item } from "../../codec/rlp/item.ts";
import { type Address, concat, equalBytes, isZeroBytes } from "../../primitives/bytes.ts";
import { decodeTransaction } from "../decoding.ts";
import type { Transaction } from "../transaction.ts";
import { transactionType } from "../type-table.ts";

/** Items after the fields that the sender signs: its signatures, the fee payer, the fee payer's signatures. */
const TAIL = 3;

/**
 * A fee-delegated transaction signed by its sender but not yet by a fee payer, with this fee payer and without
 * its signatures. Clients encode it in two ways: without the last two items, or with an empty fee payer or this one.
 * @param decode - `decodeDraft` if the sender may not have signed either
 * @returns undefined for other types, and if a fee payer has signed
 * @throws RlpError, TransactionError for anything that is not a transaction
 */
export function withOpenFeePayer(
  raw: Uint8Array,
  feePayer: Address,
  decode = decodeTransaction,
): Transaction | undefined {
  const type = transactionType(raw[0] ?? 0);
  if (type === undefined || type.feeMode === "sender") return undefined;
  const items = decodeItem(raw.subarray(1));
  if (!Array.isArray(items)) return undefined;
  const whole = type.fields.length + TAIL;
  const isOpen =
    items.length === whole - 2 || (items.length === whole && isUnsigned(items.slice(-2), feePayer));
  if (!isOpen) return undefined;
  const payload = encodeItem([...items.slice(0, whole - 2), feePayer, []]);
  return decode(concat(raw.subarray(0, 1), payload));
}

/** Whether the fee payer's signatures are missing, and the fee payer is missing or the expected one. */
function isUnsigned([named, signatures]: readonly Item[], feePayer: Address): boolean {
  if (!(named instanceof Uint8Array) || !Array.isArray(signatures)) return false;
  return (isZeroBytes(named) || equalBytes(named, feePayer)) && signatures.every(isBlank);
}

/** No signature, or the placeholder `[1, 0, 0]` of SDKs. */
function isBlank(signature: Item): boolean {
  if (!Array.isArray(signature)) return false;
  const [, r, s] = signature;
  return r instanceof Uint8Array && s instanceof Uint8Array && isZeroBytes(r) && isZeroBytes(s);
}
