import { type AccountKey, LEGACY_KEY, Role } from "../../protocol/account/key.ts";
import { signatureValidationGas, validateSigners } from "../../protocol/account/key-signatures.ts";
import type { Address } from "../../protocol/primitives/bytes.ts";
import { NodeError } from "../../protocol/primitives/errors.ts";
import type { Signers } from "../../protocol/transaction/signers.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";
import { TransactionPoolError } from "./errors.ts";
import type { PoolHead } from "./head.ts";

/**
 * Checks the sender's signatures against the key of its account.
 * @returns gas for checking them
 * @throws TransactionPoolError `INVALID_SENDER`
 */
export function checkSender(transaction: Transaction, signers: Signers, head: PoolHead): bigint {
  const { sender, senderKeys } = signers;
  const key = keyOf(head, sender);
  if (transaction.type.ethereum) {
    if (key.type === "legacy") return 0n;
    throw invalid("SENDER", "a legacy transaction must be with a legacy account key");
  }
  const role = transaction.type.effect === "accountUpdate" ? Role.accountUpdate : Role.transaction;
  return checkKey("SENDER", key, { role, keys: senderKeys, address: sender }, head);
}

/**
 * Checks the fee payer's signatures against the key of its account.
 * @returns gas for checking them; 0 where the sender pays
 * @throws TransactionPoolError `INVALID_FEE_PAYER`
 */
export function checkFeePayer({ feePayer }: Transaction, signers: Signers, head: PoolHead): bigint {
  if (feePayer === undefined) return 0n;
  const signed = { role: Role.feePayer, keys: signers.feePayerKeys, address: feePayer };
  return checkKey("FEE_PAYER", keyOf(head, feePayer), signed, head);
}

interface Signed {
  readonly role: Role;
  readonly keys: readonly Uint8Array[];
  readonly address: Address;
}

function checkKey(who: Who, key: AccountKey, signed: Signed, { rules }: PoolHead): bigint {
  const { role, keys, address } = signed;
  let gas: bigint;
  try {
    gas = signatureValidationGas(key, role, keys.length, rules);
  } catch (error) {
    throw error instanceof NodeError ? invalid(who, error.message) : error;
  }
  if (!validateSigners(key, role, keys, rules, address)) throw invalid(who, "invalid account key");
  return gas;
}

/** An account that does not exist has a legacy key. */
function keyOf({ state }: PoolHead, address: Address): AccountKey {
  return state.account(address)?.key ?? LEGACY_KEY;
}

type Who = "SENDER" | "FEE_PAYER";

/** The refusal of a sender or fee payer for a reason. */
export function invalid(who: Who, reason: string): TransactionPoolError {
  const text = who === "SENDER" ? "invalid sender" : "invalid fee payer";
  return new TransactionPoolError(`INVALID_${who}`, `${text}: ${reason}`);
}
