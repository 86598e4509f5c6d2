import { checksumAddress } from "../../protocol/account/address.ts";
import { type AbiValue, decodeAbi } from "../../protocol/codec/abi/decode.ts";
import type { AbiParameter, AbiType } from "../../protocol/codec/abi/types.ts";
import { NodeError } from "../../protocol/primitives/errors.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";

/** Maximum bytes, characters and elements shown; an ellipsis marks the rest. */
const MAX_BYTES = 68;
const MAX_LENGTH = 200;
const MAX_ELEMENTS = 20;

/** A call, event or error with its values: `transfer(to: 0x…, value: 5)`; undefined if the data cannot be decoded. */
export function showCall(
  name: string,
  inputs: readonly AbiParameter[],
  data: Uint8Array,
): string | undefined {
  try {
    return `${name}(${showAll(inputs, decodeAbi(inputs, data))})`;
  } catch (error) {
    if (error instanceof NodeError) return undefined;
    throw error;
  }
}

/** Values with the names of their parameters, if they have any. */
export function showAll(parameters: readonly AbiParameter[], values: readonly AbiValue[]): string {
  return parameters
    .map(({ name, type }, i) => {
      const value = showValue(type, values[i] as AbiValue);
      return name === "" ? value : `${name}: ${value}`;
    })
    .join(", ");
}

/** A readable value: addresses with their checksum, strings in quotation marks, lists in brackets. */
export function showValue(type: AbiType, value: AbiValue): string {
  if (typeof value === "string")
    return JSON.stringify(value.length > MAX_LENGTH ? `${value.slice(0, MAX_LENGTH)}…` : value);
  if (value instanceof Uint8Array) {
    if (type.kind === "address") return checksumAddress(value);
    return value.length > MAX_BYTES ? `${bytesToHex(value.subarray(0, MAX_BYTES))}…` : bytesToHex(value);
  }
  if (typeof value !== "object") return String(value);
  if (type.kind === "tuple") return `{${showAll(type.members, value)}}`;
  if (type.kind !== "array") return "";
  const shown = value.slice(0, MAX_ELEMENTS).map((one) => showValue(type.element, one));
  return `[${[...shown, ...(value.length > MAX_ELEMENTS ? ["…"] : [])].join(", ")}]`;
}
