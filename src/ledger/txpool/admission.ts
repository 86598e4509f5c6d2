import { hasCode } from "../../protocol/account/account.ts";
import { MAX_INIT_CODE_BYTES } from "../../protocol/params/gas.ts";
import type { Address } from "../../protocol/primitives/bytes.ts";
import { NodeError } from "../../protocol/primitives/errors.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { transactionSize, withoutSidecar } from "../../protocol/transaction/encoding.ts";
import { TransactionError } from "../../protocol/transaction/errors.ts";
import { floorGas, intrinsicGas } from "../../protocol/transaction/gas.ts";
import { isUnprotected } from "../../protocol/transaction/signature.ts";
import {
  authoritiesOf,
  chainIdOf,
  recoverSigners,
  type Signers,
} from "../../protocol/transaction/signers.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";
import { EFFECTS } from "../execution/effects/index.ts";
import { checkFunds } from "./balance-rules.ts";
import { checkBlobs } from "./blob-rules.ts";
import type { PoolContent } from "./content.ts";
import { MAX_TRANSACTION_SIZE } from "./entry.ts";
import { TransactionPoolError, type TransactionPoolErrorCode } from "./errors.ts";
import { nonceOf, type PoolHead } from "./head.ts";
import { checkPrice } from "./price-rules.ts";
import { nextNonce } from "./promotion.ts";
import { checkFeePayer, checkSender, invalid } from "./signer-rules.ts";

/** Highest gas limit that the pool takes. */
const MAX_GAS = 500_000_000n;
const MAX_NONCE = 2n ** 64n - 1n;
const BLOB = 0x7803;
const SET_CODE = 0x7804;

/** What was found out about a transaction on its way into the pool. */
export interface Admitted {
  readonly from: Address;
  /** Bytes of the encoding that limits count. */
  readonly size: number;
  /** Accounts whose authorization it carries. */
  readonly authorities: readonly Address[];
}

/**
 * Checks a transaction by every rule, in the order of the reference node: the first fault decides the text.
 * @throws TransactionPoolError
 */
export function admit(
  transaction: Transaction,
  chainId: bigint,
  head: PoolHead,
  content: PoolContent,
): Admitted {
  checkForm(transaction, chainId, head);
  checkPrice(transaction, head);
  const size = transactionSize(withoutSidecar(transaction));
  if (size > MAX_TRANSACTION_SIZE) throw refuse("OVERSIZED", "oversized data");
  if (transaction.value < 0n) throw refuse("NEGATIVE_VALUE", "negative value");
  const signers = signersOf(transaction, chainId);
  const senderGas = checkSender(transaction, signers, head);
  checkNonce(transaction, signers.sender, head);
  const signatureGas = senderGas + checkFeePayer(transaction, signers, head);
  checkFeeRatio(transaction);
  checkFunds(transaction, signers.sender, head.state);
  checkGas(transaction, signatureGas, head);
  if (transaction.type.code === BLOB) checkBlobs(transaction, head);
  const authorities = checkDelegation(transaction, signers.sender, head, content);
  checkTypeRules(transaction, head);
  return { from: signers.sender, size, authorities };
}

/** Whether a transaction that was admitted could still run on a new head. */
export function isPayable(transaction: Transaction, from: Address, chainId: bigint, head: PoolHead): boolean {
  try {
    const signers = recoverSigners(transaction, chainId);
    checkSender(transaction, signers, head);
    checkFeePayer(transaction, signers, head);
    checkTypeRules(transaction, head);
    checkFunds(transaction, from, head.state);
    return true;
  } catch (error) {
    if (error instanceof NodeError) return false;
    throw error;
  }
}

function checkTypeRules(transaction: Transaction, { state }: PoolHead): void {
  try {
    EFFECTS[transaction.type.effect].check(transaction, state);
  } catch (error) {
    throw error instanceof NodeError ? refuse("TYPE_RULE", error.message) : error;
  }
}

function checkForm(transaction: Transaction, chainId: bigint, { rules }: PoolHead): void {
  const { type, to, input, gas } = transaction;
  if (type.since !== undefined && !rules[type.since]) {
    throw refuse("TYPE_NOT_SUPPORTED", "transaction type not supported");
  }
  if (rules.shanghai && to === undefined && input.length > MAX_INIT_CODE_BYTES) {
    const text = `max initcode size exceeded: code size ${input.length}, limit ${MAX_INIT_CODE_BYTES}`;
    throw refuse("INIT_CODE_TOO_LARGE", text);
  }
  if (gas > MAX_GAS) {
    throw refuse("GAS_LIMIT_TOO_HIGH", `tx gas limit exceeds the upper limit: gas ${gas}, limit ${MAX_GAS}`);
  }
  if (!isUnprotected(transaction) && chainIdOf(transaction) !== chainId) {
    throw refuse("INVALID_CHAIN_ID", "invalid chain id");
  }
}

function signersOf(transaction: Transaction, chainId: bigint): Signers {
  try {
    return recoverSigners(transaction, chainId);
  } catch (error) {
    if (!(error instanceof TransactionError)) throw error;
    throw invalid(error.details["role"] === "feePayer" ? "FEE_PAYER" : "SENDER", error.message);
  }
}

function checkNonce({ nonce }: Transaction, from: Address, head: PoolHead): void {
  if (nonce === MAX_NONCE) throw refuse("NONCE_MAX", "nonce has max value");
  if (nonce < nonceOf(head.state, from)) throw refuse("NONCE_TOO_LOW", "nonce too low");
}

function checkFeeRatio({ type, feeRatio = 0 }: Transaction): void {
  if (type.feeMode !== "shared" || (feeRatio >= 1 && feeRatio <= 99)) return;
  throw refuse("TYPE_RULE", "fee ratio is out of range [1, 99]");
}

function checkGas(transaction: Transaction, signatureGas: bigint, { rules }: PoolHead): void {
  try {
    if (transaction.gas < intrinsicGas(transaction, rules) + signatureGas) {
      throw refuse("INTRINSIC_GAS", "intrinsic gas too low");
    }
    const floor = floorGas(transaction, rules, signatureGas);
    if (transaction.gas >= floor) return;
    const text = `insufficient gas for floor data gas cost: gas ${transaction.gas}, minimum needed ${floor}`;
    throw refuse("FLOOR_DATA_GAS", text);
  } catch (error) {
    if (error instanceof TransactionPoolError || !(error instanceof NodeError)) throw error;
    throw refuse("INTRINSIC_GAS", error.message);
  }
}

/**
 * Allows one transaction at a time to accounts that have delegated their code, or are about to: their balance may
 * vanish with any transaction.
 * @returns the accounts whose authorization the transaction carries
 * @see EIP-7702, transaction propagation
 */
function checkDelegation(
  transaction: Transaction,
  from: Address,
  head: PoolHead,
  content: PoolContent,
): readonly Address[] {
  const { type, authorizationList, nonce } = transaction;
  if (type.code === SET_CODE && (authorizationList ?? []).length === 0) {
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
  const authorities = type.code === SET_CODE ? authoritiesOf(transaction) : [];
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
