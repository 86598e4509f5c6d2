import type { Json } from "../../../protocol/codec/json/value.ts";
import { hexToBytes } from "../../../protocol/primitives/hex.ts";
import { ForkError } from "./errors.ts";

/** Digits of the longest quantity: 256 bits. */
const MAX_DIGITS = 64;
/** Longest code in bytes: more than any chain allows. */
const MAX_CODE = 1 << 20;

/** A quantity of a node's response. @throws ForkError `REMOTE_FAILED` naming the method */
export function quantityOf(value: Json | undefined, method: string, bits = 256): bigint {
  if (typeof value === "string" && value.length <= 2 + MAX_DIGITS && /^0x[0-9a-fA-F]+$/.test(value)) {
    const quantity = BigInt(value);
    if (BigInt.asUintN(bits, quantity) === quantity) return quantity;
  }
  throw illFormed(method, `is not a quantity of ${bits} bits`);
}

/** Bytes of a node's response, of a certain length or of up to the longest code. @throws ForkError `REMOTE_FAILED` */
export function bytesOf(value: Json | undefined, method: string, length?: number): Uint8Array {
  const max = 2 + 2 * (length ?? MAX_CODE);
  const isHex = typeof value === "string" && value.length <= max && /^0x(?:[0-9a-fA-F]{2})*$/.test(value);
  if (isHex && (length === undefined || value.length === max)) return hexToBytes(value);
  throw illFormed(method, `is not ${length ?? `up to ${MAX_CODE}`} bytes in hex`);
}

/** An object of a node's response. @throws ForkError `REMOTE_FAILED` */
export function objectOf(value: Json | undefined, method: string): Readonly<Record<string, Json>> {
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return value as Record<string, Json>;
  throw illFormed(method, "is not an object");
}

/** @param what - completes "the forked node's response to eth_getCode …" */
export function illFormed(method: string, what: string): ForkError {
  return new ForkError("REMOTE_FAILED", `the forked node's response to ${method} ${what}`, { method });
}
