import { AccountKeyError } from "../../../protocol/account/errors.ts";
import { type AccountKey, LEGACY_KEY, Role } from "../../../protocol/account/key.ts";
import {
  areTooManySignatures,
  signatureValidationGas,
  validateSigners,
} from "../../../protocol/account/key-signatures.ts";
import type { Rules } from "../../../protocol/params/forks.ts";
import { maxInitCodeBytes } from "../../../protocol/params/gas.ts";
import { type Address, ZERO_ADDRESS } from "../../../protocol/primitives/bytes.ts";
import { TransactionError } from "../../../protocol/transaction/errors.ts";
import { floorGas, intrinsicGas } from "../../../protocol/transaction/gas.ts";
import { recipientOf } from "../../../protocol/transaction/recipient.ts";
import { recoverSender, recoverSigners } from "../../../protocol/transaction/signatures/signers.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import { isActive } from "../../../protocol/transaction/type-table.ts";
import { TransactionRejection } from "../errors.ts";
import type { Accounts } from "./effects.ts";
import { EFFECTS } from "./effects.ts";

/** The reference's text where the signers do not satisfy the key of their account. */
const INVALID_KEY = "invalid account key";

/** The signers of a transaction, validated against their account keys. */
export interface CheckedSigners {
  readonly sender: Address;
  /** The sender if the fee is not delegated. */
  readonly feePayer: Address;
  /** Gas for validating the signatures, part of the intrinsic gas. */
  readonly signatureGas: bigint;
}

/** Minimum gas limit of a transaction. */
export interface RequiredGas {
  /** Intrinsic gas, including that for signatures. */
  readonly intrinsic: bigint;
  /** Floor data gas from prague on; 0 before. @see EIP-7623 */
  readonly floor: bigint;
}

/**
 * Checks the rules of a transaction's type against a state: recipient, new key, contract address, code format.
 * @throws TransactionRejection `TYPE_RULE`
 */
export function checkTypeRules(tx: Transaction, accounts: Accounts): void {
  EFFECTS[tx.type.effect].check(tx, accounts);
}

/** Whether a transaction is refused before any signer is recovered: it may have 1,500 signatures. */
export function hasTooManySignatures(
  { signatures, feePayerSignatures = [] }: Transaction,
  rules: Rules,
): boolean {
  return (
    areTooManySignatures(signatures.length, rules) || areTooManySignatures(feePayerSignatures.length, rules)
  );
}

/**
 * Recovers the signers and validates them against the keys of their accounts.
 * @throws TransactionRejection `INVALID_SENDER`, `INVALID_FEE_PAYER`
 */
export function checkSigners(tx: Transaction, accounts: Accounts, rules: Rules): CheckedSigners {
  const { sender, senderKeys, vouched } = senderOf(tx, accounts, rules);
  const senderGas = vouched?.sender ? 0n : checkSenderKeys(tx, sender, senderKeys, accounts, rules);
  if (tx.feePayer === undefined) return { sender, feePayer: sender, signatureGas: senderGas };
  const feePayerGas = vouched?.feePayer ? 0n : checkFeePayerKeys(tx, tx.feePayer, accounts, rules);
  return { sender, feePayer: tx.feePayer, signatureGas: senderGas + feePayerGas };
}

/**
 * Recovers only the sender and validates it against the key of its account.
 * @throws TransactionRejection `INVALID_SENDER`
 */
export function checkSender(tx: Transaction, accounts: Accounts, rules: Rules): Address {
  const { sender, senderKeys } = senderOf(tx, accounts, rules);
  checkSenderKeys(tx, sender, senderKeys, accounts, rules);
  return sender;
}

/**
 * Minimum gas limit of a transaction.
 * @throws TransactionRejection `GAS_OVERFLOW`, `TYPE_RULE`
 */
export function requiredGas(tx: Transaction, signatureGas: bigint, rules: Rules): RequiredGas {
  try {
    return {
      intrinsic: intrinsicGas(tx, rules) + signatureGas,
      floor: floorGas(tx, rules, signatureGas),
    };
  } catch (error) {
    if (error instanceof AccountKeyError) throw rejection("TYPE_RULE", error);
    if (error instanceof TransactionError) throw rejection("GAS_OVERFLOW", error);
    throw error;
  }
}

/** @throws TransactionRejection `INTRINSIC_GAS`, `FLOOR_GAS` */
export function checkGas(tx: Transaction, required: RequiredGas): void {
  if (tx.gas < required.intrinsic) throw new TransactionRejection("INTRINSIC_GAS", "intrinsic gas too low");
  if (tx.gas >= required.floor) return;
  const text = `insufficient gas for floor data gas cost: have ${tx.gas}, want ${required.floor}`;
  throw new TransactionRejection("FLOOR_GAS", text);
}

/** Whether the input of a transaction without recipient, of any type, exceeds the init code limit from shanghai on. */
export function exceedsInitCodeLimit(tx: Transaction, rules: Rules): boolean {
  return rules.shanghai && recipientOf(tx) === undefined && tx.input.length > maxInitCodeBytes(rules);
}

function senderOf(tx: Transaction, accounts: Accounts, rules: Rules): ReturnType<typeof recoverSender> {
  const fail = (reason: string, cause?: Error): never => {
    // Without a sender the reference looks at the key of the zero address first, which may be a contract.
    if (tx.type.ethereum) checkLegacyKey(accounts.account(ZERO_ADDRESS)?.key ?? LEGACY_KEY);
    throw invalidSender(reason, cause);
  };
  if (!isActive(tx.type, rules)) return fail("transaction type not supported");
  try {
    if (areTooManySignatures(tx.signatures.length, rules)) return fail(INVALID_KEY);
    if (areTooManySignatures(tx.feePayerSignatures?.length ?? 0, rules))
      return recoverSender(tx, rules.chainId);
    return recoverSigners(tx, rules.chainId);
  } catch (error) {
    if (!(error instanceof TransactionError)) throw error;
    if (error.details["role"] !== "feePayer") return fail(error.message, error);
    return recoverSender(tx, rules.chainId);
  }
}

function checkLegacyKey(key: AccountKey): void {
  if (key.type !== "legacy") throw invalidSender("a legacy transaction must be with a legacy account key");
}

function checkSenderKeys(
  tx: Transaction,
  sender: Address,
  signers: readonly Uint8Array[],
  accounts: Accounts,
  rules: Rules,
): bigint {
  const key = accounts.account(sender)?.key ?? LEGACY_KEY;
  if (tx.type.ethereum) {
    checkLegacyKey(key);
    return 0n;
  }
  const role = tx.type.effect === "accountUpdate" ? Role.accountUpdate : Role.transaction;
  return checkKeys({ key, role, signers, address: sender }, rules, invalidSender);
}

function checkFeePayerKeys(tx: Transaction, feePayer: Address, accounts: Accounts, rules: Rules): bigint {
  const key = accounts.account(feePayer)?.key ?? LEGACY_KEY;
  if (areTooManySignatures(tx.feePayerSignatures?.length ?? 0, rules)) throw invalidFeePayer(INVALID_KEY);
  let signers: readonly Uint8Array[];
  try {
    signers = recoverSigners(tx, rules.chainId).feePayerKeys;
  } catch (error) {
    if (!(error instanceof TransactionError)) throw error;
    throw invalidFeePayer(error.message, error);
  }
  return checkKeys({ key, role: Role.feePayer, signers, address: feePayer }, rules, invalidFeePayer);
}

interface KeyCheck {
  readonly key: AccountKey;
  readonly role: Role;
  readonly signers: readonly Uint8Array[];
  readonly address: Address;
}

/** @returns gas for validating the signatures */
function checkKeys(
  { key, role, signers, address }: KeyCheck,
  rules: Rules,
  invalid: (reason: string, cause?: Error) => TransactionRejection,
): bigint {
  let gas: bigint;
  try {
    gas = signatureValidationGas(key, role, signers.length, rules);
  } catch (error) {
    if (!(error instanceof AccountKeyError)) throw error;
    throw invalid(error.message, error);
  }
  if (!validateSigners(key, role, signers, rules, address)) throw invalid(INVALID_KEY);
  return gas;
}

function invalidSender(reason: string, cause?: Error): TransactionRejection {
  return new TransactionRejection("INVALID_SENDER", `invalid sender: ${reason}`, {}, { cause });
}

function invalidFeePayer(reason: string, cause?: Error): TransactionRejection {
  return new TransactionRejection("INVALID_FEE_PAYER", `invalid fee payer: ${reason}`, {}, { cause });
}

function rejection(code: "TYPE_RULE" | "GAS_OVERFLOW", cause: Error): TransactionRejection {
  return new TransactionRejection(code, cause.message, {}, { cause });
}
