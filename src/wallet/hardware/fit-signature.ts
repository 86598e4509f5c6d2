import { CURVE_ORDER, type EcdsaSignature } from "../../protocol/crypto/secp256k1.ts";
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
 * The signature of an account over a hash. Devices report the recovery bit in many ways or not at all, so both are tried; at the
 * same time this proves that the device signed what it was asked to, with the key that was meant.
 * @param rs - r and s, 32 bytes each; s may lie in either half of the order
 * @throws WalletError `DEVICE_ANSWER`
 */
export function fitSignature(hash: Hash, rs: Uint8Array, address: Address): EcdsaSignature {
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
