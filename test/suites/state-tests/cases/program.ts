import { assemble } from "../../../../src/ledger/evm/testing/assemble.ts";
import { bigintToFixedBytes, concat, EMPTY_BYTES } from "../../../../src/protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../../../src/protocol/primitives/hex.ts";
import type { AddressSource, Code } from "./case.ts";

/** Bytecode: assembled from source, or raw. */
export function codeBytes(code: Code): Uint8Array {
  if (typeof code !== "string") return code;
  return code.trim() === "" ? EMPTY_BYTES : assemble(code);
}

/** Bytes of hex digits without prefix. */
export function hex(digits: string): Uint8Array {
  return hexToBytes(`0x${digits}`);
}

/** The bytes of numbers, a 32-byte word each. */
export function words(...values: readonly (number | bigint)[]): Uint8Array {
  return concat(...values.map((value) => bigintToFixedBytes(BigInt.asUintN(256, BigInt(value)), 32)));
}

/** An address as an operand. */
export function at(place: AddressSource | string): string {
  if (typeof place === "string") return place;
  return typeof place === "number" ? `${place}` : bytesToHex(place);
}

type CallKind = "CALL" | "CALLCODE" | "DELEGATECALL" | "STATICCALL";

/** Options of a call besides its kind and callee; by default 60,000 gas, otherwise zero. */
export interface CallParts {
  readonly gas?: number | string;
  readonly value?: number | bigint | string;
  readonly input?: readonly [offset: number | string, size: number | string];
  readonly output?: readonly [offset: number | string, size: number | string];
}

/** Source of a call; leaves the success flag on the stack. */
export function call(kind: CallKind, to: AddressSource | string, parts: CallParts = {}): string {
  const { gas = 60_000, value = 0, input = [0, 0], output = [0, 0] } = parts;
  const [inputAt, inputSize] = input;
  const [outputAt, outputSize] = output;
  const paid = kind === "CALL" || kind === "CALLCODE" ? `${value} ` : "";
  return `${outputSize} ${outputAt} ${inputSize} ${inputAt} ${paid}${at(to)} ${gas} ${kind}`;
}

/** Source that stores the value of an expression. */
export function store(slot: number | string, expression: string): string {
  return `${expression} ${slot} SSTORE`;
}

/** Source that writes bytes to memory, in whole words. */
export function write(bytes: Uint8Array, offset = 0): string {
  let source = "";
  for (let i = 0; i < bytes.length; i += 32) {
    const chunk = new Uint8Array(32);
    chunk.set(bytes.subarray(i, i + 32));
    source += `${bytesToHex(chunk)} ${offset + i} MSTORE `;
  }
  return source;
}

/** Source of a creation whose init code is written to memory first; leaves the address on the stack. */
export function create(initCode: Code, value: number | string = 0, salt?: number | string): string {
  const bytes = codeBytes(initCode);
  const rest = salt === undefined ? "" : `${salt} `;
  return `${write(bytes)}${rest}${bytes.length} 0 ${value} CREATE${salt === undefined ? "" : "2"}`;
}

/** Init code that runs a source and deploys a runtime; understood by every fork. */
export function deploy(runtime: Code, before = ""): Uint8Array {
  const code = codeBytes(runtime);
  const head = assemble(before);
  const [high, low] = [code.length >> 8, code.length & 255];
  const from = head.length + 15;
  const copy = [0x61, high, low, 0x61, from >> 8, from & 255, 0x60, 0, 0x39];
  const whole = Uint8Array.from([...copy, 0x61, high, low, 0x60, 0, 0xf3]);
  return concat(head, whole, code);
}

/** Source that repeats a piece. */
export function repeat(count: number, piece: string | ((i: number) => string)): string {
  return Array.from({ length: count }, (_, i) => (typeof piece === "string" ? piece : piece(i))).join(" ");
}

/** Source that returns a region of memory. */
export function returnMemory(size = 32, offset = 0, kind: "RETURN" | "REVERT" = "RETURN"): string {
  return `${size} ${offset} ${kind}`;
}

/** Init code that deploys a number of bytes: zeros, or the given byte. */
export function deployBytes(size: number, first = 0): Uint8Array {
  return codeBytes(`${first} 0 MSTORE8 ${size} 0 RETURN`);
}
