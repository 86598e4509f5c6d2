import { bytesToBigint } from "../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";

/** Selector of `Error(string)`, in which Solidity wraps the reason of a revert. */
export const ERROR_SELECTOR = "0x08c379a0";
const PANIC_SELECTOR = "0x4e487b71";

/** Meaning of the codes with which Solidity panics. @see https://docs.soliditylang.org/en/latest/control-structures.html */
const PANICS: Readonly<Record<string, string>> = {
  "0": "generic panic",
  "1": "assert(false)",
  "17": "arithmetic underflow or overflow",
  "18": "division or modulo by zero",
  "33": "enum overflow",
  "34": "invalid encoded storage byte array accessed",
  "49": "out-of-bounds array access; popping on an empty array",
  "50": "out-of-bounds access of an array or bytesN",
  "65": "out of memory",
  "81": "uninitialized function",
};

/** The revert reason: the text of `Error(string)` or the meaning of `Panic(uint256)`; undefined for any other output. */
export function revertReason(output: Uint8Array): string | undefined {
  if (bytesToHex(output.subarray(0, 4)) === ERROR_SELECTOR) return textOf(output.subarray(4));
  const code = panicCode(output);
  return code === undefined
    ? undefined
    : (panicMeaning(code) ?? `unknown panic code: 0x${code.toString(16)}`);
}

/** Meaning of a code of `Panic(uint256)`; undefined for an unknown one. */
export function panicMeaning(code: bigint): string | undefined {
  return PANICS[code.toString()];
}

/** The code of `Panic(uint256)`; undefined for any other output. */
export function panicCode(output: Uint8Array): bigint | undefined {
  if (output.length < 36 || bytesToHex(output.subarray(0, 4)) !== PANIC_SELECTOR) return undefined;
  return bytesToBigint(output.subarray(4, 36));
}

/** Decodes an ABI-encoded string; undefined when offset or length are out of bounds. */
function textOf(bytes: Uint8Array): string | undefined {
  const start = numberAt(bytes, 0);
  if (start === undefined) return undefined;
  const length = numberAt(bytes, start);
  if (length === undefined || start + 32 + length > bytes.length) return undefined;
  return new TextDecoder().decode(bytes.subarray(start + 32, start + 32 + length));
}

function numberAt(bytes: Uint8Array, offset: number): number | undefined {
  if (offset + 32 > bytes.length) return undefined;
  const value = bytesToBigint(bytes.subarray(offset, offset + 32));
  return value <= bytes.length ? Number(value) : undefined;
}
