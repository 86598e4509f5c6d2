import { LEGACY_KEY, Role } from "../../../../protocol/account/key.ts";
import { validateSigners } from "../../../../protocol/account/key-signatures.ts";
import { recoverPublicKey } from "../../../../protocol/crypto/secp256k1.ts";
import type { Precompile, PrecompileContext } from "../../precompile.ts";

const ADDRESS = 20;
const HEADER = ADDRESS + 32;
const SIGNATURE = 65;

/**
 * Whether signatures over a hash satisfy the transaction key of an account (address 0x3ff; 0x0b before istanbul).
 * Input: address, hash, then r ‖ s ‖ parity for each signature. Returns one byte and never fails.
 */
export const validateSender: Precompile = {
  name: "VALIDATE_SENDER",
  gas: (input) => 5000n * signatureCount(input),
  computation: (input) => 10_000n + 180_000n * signatureCount(input),
  run: (input, context) => Uint8Array.of(isValid(input, context) ? 1 : 0),
};

/** Counted over the whole input, including the header, as in the reference node. */
function signatureCount(input: Uint8Array): bigint {
  return BigInt(Math.floor(input.length / SIGNATURE));
}

function isValid(input: Uint8Array, { state, rules, checkDeadline }: PrecompileContext): boolean {
  if (input.length < HEADER || (input.length - HEADER) % SIGNATURE !== 0) return false;
  const address = input.subarray(0, ADDRESS);
  const hash = input.subarray(ADDRESS, HEADER);
  const signers: Uint8Array[] = [];
  for (let at = HEADER; at < input.length; at += SIGNATURE) {
    checkDeadline();
    const signer = recover(hash, input.subarray(at, at + SIGNATURE));
    if (signer === undefined) return false;
    signers.push(signer);
  }
  const key = state.account(address)?.key ?? LEGACY_KEY;
  return validateSigners(key, Role.transaction, signers, rules, address);
}

function recover(hash: Uint8Array, signature: Uint8Array): Uint8Array | undefined {
  const end = SIGNATURE - 1;
  try {
    return recoverPublicKey(hash, signature.subarray(0, end), signature[end] as number);
  } catch {
    return undefined;
  }
}
