import { hasCode } from "../../../protocol/account/account.ts";
import { maxInitCodeBytes } from "../../../protocol/params/gas.ts";
import type { Address } from "../../../protocol/primitives/bytes.ts";
import { NodeError } from "../../../protocol/primitives/errors.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { MAX_UINT64 } from "../../../protocol/primitives/integers.ts";
import {
  MAX_TRANSACTION_SIZE,
  transactionSize,
  withoutSidecar,
} from "../../../protocol/transaction/encoding.ts";
import { isUnprotected } from "../../../protocol/transaction/signatures/signature.ts";
import { authoritiesOf, chainIdOf } from "../../../protocol/transaction/signatures/signers.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import { isActive } from "../../../protocol/transaction/type-table.ts";
import { TypeCode } from "../../../protocol/transaction/types.ts";
import { TransactionRejection } from "../../execution/errors.ts";
import {
  type CheckedSigners,
  checkSigners,
  checkTypeRules,
  exceedsInitCodeLimit,
  hasTooManySignatures,
  requiredGas,
} from "../../execution/transaction/validate.ts";
import type { PoolContent } from "../content/content.ts";
import { TransactionPoolError, type TransactionPoolErrorCode } from "../errors.ts";
import { nonceOf, type PoolHead } from "../head.ts";
import { nextNonce } from "../promotion.ts";
import { checkFunds } from "./balance-rules.ts";
import type { BlobVerdicts } from "./blob-proofs.ts";
import { checkBlobs } from "./blob-rules.ts";
import { checkPrice } from "./price-rules.ts";

/** Settings of admission. */
export interface AdmissionParts {
  /** Maximum gas limit of a transaction. */
  readonly maxGas: bigint;
  readonly verdicts: BlobVerdicts;
}

/** What admission has found out about a transaction. */
export interface Admitted {
  readonly from: Address;
  /** Bytes of the encoding, as counted by limits: without the sidecar. */
  readonly size: number;
  /** Authorities of its authorizations. */
  readonly authorities: readonly Address[];
}

/**
 * Checks a transaction against all rules, in the order of the reference node, as the first violation determines the text.
 * @throws TransactionPoolError for the pool's own rules, TransactionRejection for those shared with blocks; MissingState
 * until the required state is available
 */
export function admit(
  transaction: Transaction,
  head: PoolHead,
  content: PoolContent,
  { maxGas, verdicts }: AdmissionParts,
): Admitted {
  checkForm(transaction, head, maxGas);
  checkPrice(transaction, head);
  const size = sizeOf(transaction);
  if (size > MAX_TRANSACTION_SIZE) throw refuse("OVERSIZED", "oversized data");
  if (transaction.value < 0n) throw refuse("NEGATIVE_VALUE", "negative value");
  const { sender, signatureGas } = checkSignersAndNonce(transaction, head);
  checkFeeRatio(transaction);
  checkPayment(transaction, sender, head);
  checkGas(transaction, signatureGas, head);
  if (transaction.type.code === TypeCode.blob) checkBlobs(transaction, head, verdicts);
  const authorities = checkDelegation(transaction, sender, head, content);
  checkTypeRules(transaction, head.state);
  return { from: sender, size, authorities };
}

/** Whether a transaction is refused before its signers matter, for its size or their number: it may have tens of thousands of signatures. */
export function isRefusedUnrecovered(transaction: Transaction, { rules }: PoolHead): boolean {
  return sizeOf(transaction) > MAX_TRANSACTION_SIZE || hasTooManySignatures(transaction, rules);
}

function sizeOf(transaction: Transaction): number {
  return transactionSize(withoutSidecar(transaction));
}

/** Whether an admitted transaction could still be executed on a new head. */
export function isPayable(transaction: Transaction, from: Address, head: PoolHead): boolean {
  try {
    checkSigners(transaction, head.state, head.rules);
    checkTypeRules(transaction, head.state);
    checkPayment(transaction, from, head);
    return true;
  } catch (error) {
    if (error instanceof NodeError) return false;
    throw error;
  }
}

/** The sender's balance does not matter if the fee is lent. */
function checkPayment(transaction: Transaction, from: Address, head: PoolHead): void {
  if (head.lending?.covers(transaction, from, head.state) === true) return;
  checkFunds(transaction, from, head.state);
}

function checkForm(transaction: Transaction, { rules }: PoolHead, maxGas: bigint): void {
  const { type, input, gas } = transaction;
  if (!isActive(type, rules)) throw refuse("TYPE_NOT_SUPPORTED", "transaction type not supported");
  if (exceedsInitCodeLimit(transaction, rules)) {
    const text = `max initcode size exceeded: code size ${input.length}, limit ${maxInitCodeBytes(rules)}`;
    throw refuse("INIT_CODE_TOO_LARGE", text);
  }
  if (gas > maxGas) {
    throw refuse("GAS_LIMIT_TOO_HIGH", `tx gas limit exceeds the upper limit: gas ${gas}, limit ${maxGas}`);
  }
  if (!isUnprotected(transaction) && chainIdOf(transaction) !== rules.chainId) {
    throw refuse("INVALID_CHAIN_ID", "invalid chain id");
  }
}

/** The nonce is checked after the sender and before the fee payer. */
function checkSignersAndNonce(transaction: Transaction, head: PoolHead): CheckedSigners {
  try {
    const signers = checkSigners(transaction, head.state, head.rules);
    checkNonce(transaction, signers.sender, head);
    return signers;
  } catch (error) {
    const { from } = transaction;
    const isFeePayerWrong = error instanceof TransactionRejection && error.code === "INVALID_FEE_PAYER";
    if (isFeePayerWrong && from !== undefined) checkNonce(transaction, from, head);
    throw error;
  }
}

function checkNonce({ nonce }: Transaction, from: Address, head: PoolHead): void {
  if (nonce === MAX_UINT64) throw refuse("NONCE_MAX", "nonce has max value");
  if (nonce < nonceOf(head.state, from)) throw refuse("NONCE_TOO_LOW", "nonce too low");
}

function checkFeeRatio({ type, feeRatio = 0 }: Transaction): void {
  if (type.feeMode !== "shared" || (feeRatio >= 1 && feeRatio <= 99)) return;
  throw refuse("FEE_RATIO", "fee ratio is out of range [1, 99]");
}

function checkGas(transaction: Transaction, signatureGas: bigint, { rules }: PoolHead): void {
  const { intrinsic, floor } = requiredGas(transaction, signatureGas, rules);
  if (transaction.gas < intrinsic) throw refuse("INTRINSIC_GAS", "intrinsic gas too low");
  if (transaction.gas >= floor) return;
  const text = `insufficient gas for floor data gas cost: gas ${transaction.gas}, minimum needed ${floor}`;
  throw refuse("FLOOR_DATA_GAS", text);
}

/**
 * Allows only one transaction in flight for accounts with delegated code, or about to get it, since any transaction may
 * drain their balance.
 * @returns the authorities of the transaction's authorizations
 * @see EIP-7702, transaction propagation
 */
function checkDelegation(
  transaction: Transaction,
  from: Address,
  head: PoolHead,
  content: PoolContent,
): readonly Address[] {
  const { type, authorizationList, nonce } = transaction;
  if (type.code === TypeCode.setCode && (authorizationList ?? []).length === 0) {
    throw refuse("INVALID_AUTHORIZATION", "set code tx must have at least one authorization tuple");
  }
  const key = bytesToHex(from);
  const account = head.state.account(from);
  if ((account !== undefined && hasCode(account)) || content.hasAuthority(key)) {
    const sender = content.sender(key);
    const inFlight = sender !== undefined && sender.pending.length > 0;
    if (!inFlight && nextNonce(sender, account?.nonce ?? 0n) !== nonce) {
      throw refuse("DELEGATION_LIMIT", "gapped-nonce tx from delegated accounts");
    }
    if (inFlight && sender.pending.get(nonce) === undefined) {
      throw refuse("DELEGATION_LIMIT", "in-flight transaction limit reached for delegated accounts");
    }
  }
  const authorities = type.code === TypeCode.setCode ? authoritiesOf(transaction) : [];
  for (const authority of authorities) {
    const sender = content.sender(bytesToHex(authority));
    if (sender !== undefined && sender.pending.length + sender.queue.length > 1) {
      throw refuse("DELEGATION_LIMIT", "authority already reserved");
    }
  }
  return authorities;
}

function refuse(code: TransactionPoolErrorCode, text: string): TransactionPoolError {
  return new TransactionPoolError(code, text);
}
