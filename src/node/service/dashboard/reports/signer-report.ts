import type { SignatureReport, SignerReport } from "../../../../api/rpc/spec/dashboard/wire.ts";
import type { StateReader } from "../../../../ledger/state/state.ts";
import { type AccountKey, keyOfRole, LEGACY_KEY, Role } from "../../../../protocol/account/key.ts";
import { validateSigners } from "../../../../protocol/account/key-signatures.ts";
import { addressOfPublicKey, compressPublicKey } from "../../../../protocol/crypto/secp256k1.ts";
import type { Rules } from "../../../../protocol/params/forks.ts";
import { type Address, equalBytes, ZERO_ADDRESS } from "../../../../protocol/primitives/bytes.ts";
import { bytesToHex, hexQuantity } from "../../../../protocol/primitives/hex.ts";
import { impersonatedBy } from "../../../../protocol/transaction/signatures/impersonation.ts";
import { recoverEach } from "../../../../protocol/transaction/signatures/signers.ts";
import type { Signature, Transaction } from "../../../../protocol/transaction/transaction.ts";

/** Inputs for judging signatures. */
export interface SignerContext {
  readonly chainId: bigint;
  readonly rules: Rules;
  /** State before the transaction's block; undefined if that history is not kept. */
  readonly state: StateReader | undefined;
}

const ROLE_NAMES = ["transaction", "account update", "fee payer"] as const;
const IMPERSONATED =
  "impersonated: this development chain vouched for the sender, there is no real signature";

/** The signatures of a transaction's sender, each with its signer and weight. */
export function senderReport(tx: Transaction, context: SignerContext): SignerReport {
  const role = tx.type.effect === "accountUpdate" ? Role.accountUpdate : Role.transaction;
  const found = recoverEach(tx, context.chainId, "sender");
  const [only] = found;
  const alone = only instanceof Uint8Array ? addressOfPublicKey(only) : ZERO_ADDRESS;
  const vouched = tx.signatures[0] && impersonatedBy(tx.signatures[0]);
  const address = tx.from ?? vouched ?? alone;
  const report = reportOf({ address, role, signatures: tx.signatures, found }, context);
  return vouched === undefined ? report : { ...report, valid: true, note: IMPERSONATED };
}

/** The same for the fee payer; null if the sender pays alone. */
export function feePayerReport(tx: Transaction, context: SignerContext): SignerReport | null {
  if (tx.type.feeMode === "sender") return null;
  const signatures = tx.feePayerSignatures ?? [];
  const found = recoverEach(tx, context.chainId, "feePayer");
  return reportOf({ address: tx.feePayer ?? ZERO_ADDRESS, role: Role.feePayer, signatures, found }, context);
}

interface Judged {
  readonly address: Address;
  readonly role: Role;
  readonly signatures: readonly Signature[];
  /** What each of them recovers to. */
  readonly found: ReturnType<typeof recoverEach>;
}

function reportOf(
  { address, role, signatures, found }: Judged,
  { rules, state }: SignerContext,
): SignerReport {
  const whole = state && (state.account(address)?.key ?? LEGACY_KEY);
  const key = whole && keyOfRole(whole, role);
  const reports = signatures.map((signature, i) => signatureReport(signature, found[i], key, address));
  const keys = found.filter((one) => one instanceof Uint8Array);
  return {
    role: ROLE_NAMES[role],
    address: bytesToHex(address),
    keyType: key?.type ?? "unknown",
    threshold: key?.type === "weightedMultisig" ? Number(key.threshold) : null,
    weight: key?.type === "weightedMultisig" ? weightOf(reports) : null,
    valid:
      whole === undefined
        ? null
        : keys.length === found.length && validateSigners(whole, role, keys, rules, address),
    signatures: reports,
    note: whole === undefined ? "the key at that block is not kept by this node" : null,
  };
}

/** Each key weighs once, however often it signed. */
function weightOf(reports: readonly SignatureReport[]): number {
  const weights = new Map(reports.map(({ publicKey, weight }) => [publicKey, weight ?? 0]));
  return [...weights.values()].reduce((sum, weight) => sum + weight, 0);
}

function signatureReport(
  { v, r, s }: Signature,
  found: ReturnType<typeof recoverEach>[number] | undefined,
  key: AccountKey | undefined,
  address: Address,
): SignatureReport {
  const scalars = { v: hexQuantity(v), r: hexQuantity(r), s: hexQuantity(s) };
  if (!(found instanceof Uint8Array)) {
    const problem = found?.message ?? "no signature";
    return { ...scalars, address: null, publicKey: null, weight: null, belongs: false, problem };
  }
  const publicKey = compressPublicKey(found);
  const signer = addressOfPublicKey(found);
  const weighted =
    key?.type === "weightedMultisig"
      ? key.keys.find((one) => equalBytes(one.publicKey, publicKey))
      : undefined;
  return {
    ...scalars,
    address: bytesToHex(signer),
    publicKey: bytesToHex(publicKey),
    weight: weighted === undefined ? null : Number(weighted.weight),
    belongs: weighted !== undefined || holds(key, publicKey, equalBytes(signer, address)),
    problem: null,
  };
}

function holds(key: AccountKey | undefined, publicKey: Uint8Array, isOwn: boolean): boolean {
  return key?.type === "public" ? equalBytes(key.publicKey, publicKey) : key?.type === "legacy" && isOwn;
}
