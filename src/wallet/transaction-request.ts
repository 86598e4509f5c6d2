import { Role } from "../protocol/account/key.ts";
import type { Hash } from "../protocol/primitives/bytes.ts";
import { feePayerSigningHash } from "../protocol/transaction/hash.ts";
import { unsignedHash } from "../protocol/transaction/signatures/signing.ts";
import type { Transaction } from "../protocol/transaction/transaction.ts";

/** A transaction to sign, and the role to sign it in. */
export interface TransactionRequest {
  /** Its signatures are ignored. */
  readonly tx: Transaction;
  readonly chainId: bigint;
  readonly role: "sender" | "feePayer";
}

/** The hash to sign. @throws TransactionError `TX_NOT_FEE_DELEGATED` */
export function hashToSign({ tx, chainId, role }: TransactionRequest): Hash {
  return role === "feePayer" ? feePayerSigningHash(tx, chainId) : unsignedHash(tx, chainId);
}

/** The role of the account key that has to sign. */
export function keyRoleOf({ tx, role }: Pick<TransactionRequest, "tx" | "role">): Role {
  if (role === "feePayer") return Role.feePayer;
  return tx.type.effect === "accountUpdate" ? Role.accountUpdate : Role.transaction;
}
