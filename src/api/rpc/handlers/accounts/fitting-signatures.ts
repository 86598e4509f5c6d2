import type { StateReader } from "../../../../ledger/state/state.ts";
import { type AccountKey, keyOfRole, LEGACY_KEY } from "../../../../protocol/account/key.ts";
import {
  addressOfPublicKey,
  compressPublicKey,
  type EcdsaSignature,
  recoverPublicKey,
} from "../../../../protocol/crypto/secp256k1.ts";
import {
  type Address,
  bigintToFixedBytes,
  concat,
  equalBytes,
} from "../../../../protocol/primitives/bytes.ts";
import { hashToSign, keyRoleOf, type TransactionRequest } from "../../../../wallet/transaction-request.ts";

/** Whether a public key of 64 bytes is one of those in an account key, whatever its role and weight. */
export function isMember(key: AccountKey, publicKey: Uint8Array, address: Address): boolean {
  switch (key.type) {
    case "legacy":
      return equalBytes(addressOfPublicKey(publicKey), address);
    case "public":
      return equalBytes(key.publicKey, compressPublicKey(publicKey));
    case "weightedMultisig":
      return key.keys.some((member) => equalBytes(member.publicKey, compressPublicKey(publicKey)));
    case "roleBased":
      return key.keys.some((member) => isMember(member, publicKey, address));
    default:
      return false;
  }
}

/**
 * Keeps only the signatures by keys that the account currently has on the chain: a superfluous one makes a transaction
 * invalid. Returns all if none fits, and a single one unchanged.
 */
export function fittingSignatures(
  made: readonly EcdsaSignature[],
  request: TransactionRequest,
  address: Address,
  latestState: () => Pick<StateReader, "account">,
): readonly EcdsaSignature[] {
  if (made.length < 2) return made;
  const key = keyOfRole(latestState().account(address)?.key ?? LEGACY_KEY, keyRoleOf(request));
  const hash = hashToSign(request);
  const fitting = made.filter(({ r, s, parity }) => {
    const rs = concat(bigintToFixedBytes(r, 32), bigintToFixedBytes(s, 32));
    return isMember(key, recoverPublicKey(hash, rs, parity), address);
  });
  return fitting.length > 0 ? fitting : made;
}
