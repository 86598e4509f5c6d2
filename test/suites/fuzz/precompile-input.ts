import { bigintToFixedBytes, concat } from "../../../src/protocol/primitives/bytes.ts";
import { hexToBytes } from "../../../src/protocol/primitives/hex.ts";

const word = (value: bigint | number) => bigintToFixedBytes(BigInt(value), 32);
const BN254_G1 = concat(word(1), word(2));
/** A signed hash, its recovery number and signature. */
const SIGNED = hexToBytes(
  "0x456e9aea5e197a1f1af7a3e85a3212fa4049a3ba34c2289b4c860fc0b0c64ef3" +
    "000000000000000000000000000000000000000000000000000000000000001c" +
    "9242685bf161793cc25603c231bc2f568eb630ea16aa137d2664ac8038825608" +
    "4f8ae3bd7535248d0bd448298cc2e2071e56992d0774dc340c368ae950852ada",
);

/** Input that a precompile at `number` may accept: often valid, sometimes truncated, extended or with a changed byte. */
export function precompileInput(number: number, random: () => number): Uint8Array {
  const below = (bound: number) => Math.floor(random() * bound);
  const bytes = (count: number) => Uint8Array.from({ length: count }, () => below(256));
  const whole = wholeInput(number, below, bytes);
  const kind = below(6);
  if (kind === 0) return whole.subarray(0, below(whole.length + 1));
  if (kind === 1) return concat(whole, bytes(below(70)));
  if (kind === 2 && whole.length > 0) {
    const changed = whole.slice();
    changed[below(whole.length)] = below(256);
    return changed;
  }
  return whole;
}

function wholeInput(
  number: number,
  below: (bound: number) => number,
  bytes: (count: number) => Uint8Array,
): Uint8Array {
  switch (number) {
    case 1:
      return SIGNED;
    case 5: {
      const [base, exponent, modulus] = [below(40), below(40), below(40)];
      return concat(word(base), word(exponent), word(modulus), bytes(base + exponent + modulus));
    }
    case 6:
      return concat(BN254_G1, below(2) ? BN254_G1 : new Uint8Array(64));
    case 7:
      return concat(BN254_G1, bytes(32));
    case 8:
      return new Uint8Array(192 * below(3));
    case 9:
      return concat(Uint8Array.of(0, 0, 0, below(30)), bytes(208), Uint8Array.of(below(2)));
    case 0x0b:
      return new Uint8Array(256);
    case 0x0c:
      return concat(new Uint8Array(128), bytes(32));
    case 0x0d:
      return new Uint8Array(512);
    case 0x0e:
      return concat(new Uint8Array(256), bytes(32));
    case 0x0f:
      return new Uint8Array(384 * (1 + below(2)));
    case 0x10:
      return concat(new Uint8Array(17), bytes(47));
    case 0x11:
      return concat(new Uint8Array(17), bytes(47), new Uint8Array(17), bytes(47));
    default:
      return bytes(below(300));
  }
}
