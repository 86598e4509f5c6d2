import { addressOfPublicKey, publicKeyOf, sign } from "../../../../src/protocol/crypto/secp256k1.ts";
import { type Address, bigintToFixedBytes } from "../../../../src/protocol/primitives/bytes.ts";
import { authorizationHash } from "../../../../src/protocol/transaction/signatures/signers.ts";
import type { Authorization } from "../../../../src/protocol/transaction/transaction.ts";
import type { AddressSource } from "./case.ts";

/** Private key of every case's sender. */
export const SENDER_KEY: Uint8Array = bigintToFixedBytes(0x5e4de2n, 32);
/** Sender of every case's transaction. */
export const SENDER: Address = addressOf(SENDER_KEY);
/** Keys of accounts that authorize. */
export const AUTHORITY_KEYS: readonly Uint8Array[] = [1n, 2n, 3n].map((n) =>
  bigintToFixedBytes(0xa0710n + n, 32),
);
/** Accounts that authorize. */
export const AUTHORITIES: readonly Address[] = AUTHORITY_KEYS.map(addressOf);

/** The account of a private key. */
function addressOf(key: Uint8Array): Address {
  return addressOfPublicKey(publicKeyOf(key));
}

/** An authorization signed with a key; chain 1 and nonce 0 by default. @see EIP-7702 */
export function authorize(
  key: Uint8Array,
  to: AddressSource,
  { chainId = 1n, nonce = 0n }: { chainId?: bigint; nonce?: bigint } = {},
): Authorization {
  const address = typeof to === "number" ? bigintToFixedBytes(BigInt(to), 20) : to;
  const { r, s, parity } = sign(authorizationHash({ chainId, address, nonce }), key);
  return { chainId, address, nonce, yParity: BigInt(parity), r, s };
}
