import { addressOfPublicKey, recoverPublicKey } from "../../../protocol/crypto/secp256k1.ts";
import { EMPTY_BYTES, isZeroBytes, leftPad } from "../../../protocol/primitives/bytes.ts";
import { flat, pure } from "./define.ts";
import { paddedSlice } from "./input.ts";

/** Recovers the address that signed a hash (address 0x01). Input: hash, v (27 or 28), r, s, 32 bytes each; no output if invalid. */
export const ecrecover = pure("ECREC", flat(3000, 113_150), (input) => {
  const words = paddedSlice(input, 0, 128);
  const parity = (words[63] as number) - 27;
  if ((parity !== 0 && parity !== 1) || !isZeroBytes(words.subarray(32, 63))) return EMPTY_BYTES;
  try {
    const publicKey = recoverPublicKey(words.subarray(0, 32), words.subarray(64, 128), parity);
    return leftPad(addressOfPublicKey(publicKey), 32);
  } catch {
    return EMPTY_BYTES;
  }
});
