import { concat, EMPTY_BYTES } from "../../../protocol/primitives/bytes.ts";
import { nistCurves } from "./curves.ts";
import { flat, pure } from "./define.ts";
import { booleanWord } from "./input.ts";

/** Verifies a secp256r1 signature (address 0x100 from osaka). Input: hash, r, s, x, y, 32 bytes each. @see EIP-7951 */
export const p256Verify = pure("P256VERIFY", flat(6900, 235_000), (input) =>
  input.length === 160 && isValid(input) ? booleanWord(true) : EMPTY_BYTES,
);

function isValid(input: Uint8Array): boolean {
  const publicKey = concat(Uint8Array.of(4), input.subarray(96));
  try {
    return nistCurves().p256.verify(input.subarray(32, 96), input.subarray(0, 32), publicKey, {
      prehash: false,
      lowS: false,
      format: "compact",
    });
  } catch {
    return false;
  }
}
