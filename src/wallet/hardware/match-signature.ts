import { CURVE_ORDER } from "../../protocol/crypto/curve.ts";
import type { EcdsaSignature } from "../../protocol/crypto/secp256k1.ts";
import {
  type Address,
  bigintToFixedBytes,
  bytesToBigint,
  concat,
  equalBytes,
  type Hash,
} from "../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { WalletError } from "../errors.ts";
import { signerOf } from "../signature-signer.ts";

/**
 * Completes a signature with the recovery bit that yields the account. Devices report it in different ways or not at all, so both
 * values are tried; a match also proves that the device signed the given hash with the account's key.
 * @param rs - r and s, 32 bytes each; a high s is normalized to low s
 * @throws WalletError `DEVICE_ANSWER`
 */
export function matchSignature(hash: Hash, rs: Uint8Array, address: Address): EcdsaSignature {
  const r = bytesToBigint(rs.subarray(0, 32));
  const given = bytesToBigint(rs.subarray(32));
  const s = given > CURVE_ORDER / 2n ? CURVE_ORDER - given : given;
  const bytes = concat(bigintToFixedBytes(r, 32), bigintToFixedBytes(s, 32));
  for (const parity of [0, 1] as const) {
    const signer = signerOf(hash, bytes, parity);
    if (signer !== undefined && equalBytes(signer, address)) return { r, s, parity };
  }
  const text = `the device's signature is not by ${bytesToHex(address)}: it signed something else, or with another key`;
  throw new WalletError("DEVICE_ANSWER", text);
}
