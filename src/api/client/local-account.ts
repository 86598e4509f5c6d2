import { addressOfPublicKey, publicKeyOf } from "../../protocol/crypto/secp256k1.ts";
import type { Address } from "../../protocol/primitives/bytes.ts";
import { encodeTransaction } from "../../protocol/transaction/encoding.ts";
import { signAsFeePayer, signTransaction } from "../../protocol/transaction/signatures/signing.ts";
import { createTransaction, type TransactionParts } from "../../protocol/transaction/value.ts";

/** An account whose keys stay with the caller. */
export interface LocalAccount {
  readonly address: Address;
  /** Signs as the sender. @returns bytes for `sendRawTransaction` */
  sign(parts: TransactionParts, chainId: bigint): Uint8Array;
  /** Signs as the fee payer, after the sender. @returns bytes for `sendRawTransaction` */
  signAsFeePayer(parts: TransactionParts, chainId: bigint): Uint8Array;
}

/**
 * An account of private keys, 32 bytes each.
 * @param privateKeys several for a multisig account
 * @param address when it differs from the first key's own
 *
 * @example
 * const account = localAccount([privateKey]);
 * const transfer = {
 *   ...{ type: transactionType(0x08)!, from: account.address, to: address, value: 5n },
 *   ...{ gas: 21_000n, gasPrice: 25_000_000_000n, nonce: 0n },
 * };
 * const raw = account.sign(transfer, 1337n);
 */
export function localAccount(
  privateKeys: readonly [Uint8Array, ...Uint8Array[]],
  address?: Address,
): LocalAccount {
  return {
    address: address ?? addressOfPublicKey(publicKeyOf(privateKeys[0])),
    sign: (parts, chainId) =>
      encodeTransaction(signTransaction(createTransaction(parts), privateKeys, chainId)),
    signAsFeePayer: (parts, chainId) =>
      encodeTransaction(signAsFeePayer(createTransaction(parts), privateKeys, chainId)),
  };
}
