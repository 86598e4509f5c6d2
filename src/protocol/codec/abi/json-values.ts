import { bytesToHex, hexToBytes } from "../../primitives/hex.ts";
import type { AbiValue } from "./decode.ts";
import { type AbiParameter, type AbiType, typeName } from "./types.ts";

const HEX_TEXT = /^0x(?:[0-9a-fA-F]{2})*$/;

/** Converts a user's JSON argument to the value to be encoded. @throws Error that names the parameter */
export function toAbiValue({ name, type }: AbiParameter, given: unknown): AbiValue {
  try {
    return toValue(type, given);
  } catch (error) {
    const which = name === "" ? typeName(type) : `${name} (${typeName(type)})`;
    throw new Error(`argument ${which}: ${(error as Error).message}`);
  }
}

function toValue(type: AbiType, given: unknown): AbiValue {
  switch (type.kind) {
    case "uint":
    case "int":
      return BigInt(given as string);
    case "bool":
      return Boolean(given);
    case "string":
      return String(given);
    case "address":
    case "bytes":
    case "fixedBytes":
    case "function":
      return bytesOf(type, given);
    case "tuple":
      return type.members.map((member, i) => toAbiValue(member, memberOf(given, member.name, i)));
    case "array":
      if (!Array.isArray(given)) throw new Error("takes a list");
      return given.map((one) => toValue(type.element, one));
  }
}

/** Shorter bytes of a fixed size end in zeros, as in the Go console. */
function bytesOf(type: AbiType, given: unknown): Uint8Array {
  if (typeof given !== "string" || !HEX_TEXT.test(given)) throw new Error("takes bytes as 0x and hex digits");
  const bytes = hexToBytes(given);
  if (type.kind !== "fixedBytes" || bytes.length >= type.size) return bytes;
  const padded = new Uint8Array(type.size);
  padded.set(bytes);
  return padded;
}

function memberOf(given: unknown, name: string, index: number): unknown {
  return Array.isArray(given) ? given[index] : (given as Record<string, unknown> | undefined)?.[name];
}

/** A decoded value in the console's form: integers as big integers, bytes as hex, structs by the names of their members. */
export function fromAbiValue(type: AbiType, value: AbiValue): unknown {
  if (value instanceof Uint8Array) return bytesToHex(value);
  if (typeof value !== "object") return value;
  if (type.kind === "tuple") return fromAbiValues(type.members, value);
  return value.map((one) => fromAbiValue((type as AbiType & { kind: "array" }).element, one));
}

/** An object where all have names of their own, else a list. */
export function fromAbiValues(parameters: readonly AbiParameter[], values: readonly AbiValue[]): unknown {
  const shown = values.map((value, i) => fromAbiValue((parameters[i] as AbiParameter).type, value));
  const names = new Set(parameters.map(({ name }) => name));
  if (names.has("") || names.size < parameters.length) return shown;
  return Object.fromEntries(parameters.map(({ name }, i) => [name, shown[i]]));
}
