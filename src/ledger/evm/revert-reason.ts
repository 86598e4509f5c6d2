import { bytesToBigint } from "../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";

const ERROR_SELECTOR = "0x08c379a0";
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

/** The revert reason: the text of `Error(string)`, the meaning of `Panic(uint256)`, or nothing. */
export function revertReason(output: Uint8Array): string | undefined {
  const selector = bytesToHex(output.subarray(0, 4));
  const words = output.subarray(4);
  if (selector === ERROR_SELECTOR) return textOf(words);
  if (selector !== PANIC_SELECTOR || words.length < 32) return undefined;
  const code = bytesToBigint(words.subarray(0, 32));
  return PANICS[code.toString()] ?? `unknown panic code: 0x${code.toString(16)}`;
}

/** The string in ABI encoding; nothing when offset or length lead out of the bytes. */
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
