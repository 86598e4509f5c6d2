import { NodeError } from "../../primitives/errors.ts";

/** An unknown type, or bytes that do not encode values of a type. */
export class AbiError extends NodeError<"ABI_TYPE" | "ABI_DATA"> {
  override name = "AbiError";
}

/** A type of Solidity's contract ABI. @see https://docs.soliditylang.org/en/latest/abi-spec.html */
export type AbiType =
  | { readonly kind: "uint" | "int"; readonly bits: number }
  | { readonly kind: "bool" | "address" | "string" | "bytes" | "function" }
  | { readonly kind: "fixedBytes"; readonly size: number }
  /** @param length - absent where the encoding tells it */
  | { readonly kind: "array"; readonly element: AbiType; readonly length?: number | undefined }
  | { readonly kind: "tuple"; readonly members: readonly AbiParameter[] };

/** A parameter of a function, event or error, or a member of a struct. */
export interface AbiParameter {
  /** Empty where it has none. */
  readonly name: string;
  readonly type: AbiType;
  /** Of events only: whether it stands in a topic. */
  readonly indexed?: boolean | undefined;
}

/** Letters of a parameter's name. */
const MAX_LINE_LENGTH = 200;
/** Maximum nesting depth of arrays and structs. */
const MAX_DEPTH = 16;
/** Maximum length of a fixed-size array. */
const MAX_LENGTH = 1 << 20;

/** A parameter as compilers write it into the JSON of an ABI. */
interface JsonParameter {
  readonly name?: unknown;
  readonly type?: unknown;
  readonly indexed?: unknown;
  readonly components?: unknown;
}

/** Reads the `inputs` or `components` of an ABI's JSON. @throws AbiError `ABI_TYPE` */
export function readParameters(json: unknown, depth = 0): readonly AbiParameter[] {
  if (json === undefined) return [];
  if (!Array.isArray(json)) throw wrongType("parameters that are no list");
  return json.map((one) => readParameter(one as JsonParameter | null, depth));
}

function readParameter(json: JsonParameter | null, depth: number): AbiParameter {
  if (typeof json !== "object" || json === null || typeof json.type !== "string")
    throw wrongType("a parameter without a type");
  const name = typeof json.name === "string" ? json.name.slice(0, MAX_LINE_LENGTH) : "";
  const type = readType(json.type, json.components, depth);
  return json.indexed === true ? { name, type, indexed: true } : { name, type };
}

/**
 * Reads the name of a type: `uint256`, `bytes32[2][]`, `tuple[]`.
 * @param components - of a tuple
 * @throws AbiError `ABI_TYPE`
 */
export function readType(text: string, components?: unknown, depth = 0): AbiType {
  if (depth > MAX_DEPTH) throw wrongType("types that lie too deep in each other");
  if (text.endsWith("]")) {
    const open = text.lastIndexOf("[");
    const digits = text.slice(open + 1, -1);
    const length = digits === "" ? undefined : count(digits, MAX_LENGTH, text);
    if (open < 0) throw wrongType(text);
    return { kind: "array", element: readType(text.slice(0, open), components, depth + 1), length };
  }
  if (text === "tuple") return { kind: "tuple", members: readParameters(components ?? [], depth + 1) };
  return readElementary(text);
}

function readElementary(text: string): AbiType {
  switch (text) {
    case "bool":
    case "address":
    case "string":
    case "bytes":
    case "function":
      return { kind: text };
    case "uint":
    case "int":
      return { kind: text, bits: 256 };
  }
  for (const kind of ["uint", "int"] as const) {
    if (!text.startsWith(kind)) continue;
    const bits = count(text.slice(kind.length), 256, text);
    if (bits === 0 || bits % 8 !== 0) throw wrongType(text);
    return { kind, bits };
  }
  if (!text.startsWith("bytes")) throw wrongType(text);
  const size = count(text.slice("bytes".length), 32, text);
  if (size === 0) throw wrongType(text);
  return { kind: "fixedBytes", size };
}

function count(digits: string, most: number, text: string): number {
  const number = /^[0-9]{1,7}$/.test(digits) ? Number(digits) : Number.POSITIVE_INFINITY;
  if (number > most) throw wrongType(text);
  return number;
}

function wrongType(text: string): AbiError {
  return new AbiError("ABI_TYPE", `no type of the contract ABI: ${text.slice(0, 100)}`);
}

/** The canonical name of a type, as in signatures: tuples by their members. */
export function typeName(type: AbiType): string {
  switch (type.kind) {
    case "uint":
    case "int":
      return `${type.kind}${type.bits}`;
    case "fixedBytes":
      return `bytes${type.size}`;
    case "array":
      return `${typeName(type.element)}[${type.length ?? ""}]`;
    case "tuple":
      return `(${type.members.map((member) => typeName(member.type)).join(",")})`;
    default:
      return type.kind;
  }
}

/** The signature whose hash gives selectors and topics: `transfer(address,uint256)`. */
export function signatureText(name: string, parameters: readonly AbiParameter[]): string {
  return `${name}(${parameters.map(({ type }) => typeName(type)).join(",")})`;
}
