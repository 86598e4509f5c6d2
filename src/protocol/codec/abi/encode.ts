import { bigintToFixedBytes, concat } from "../../primitives/bytes.ts";
import { type AbiValue, headSize, isDynamic } from "./decode.ts";
import { AbiError, type AbiParameter, type AbiType, typeName } from "./types.ts";

const WORD = 32;

/**
 * Encodes values as the arguments of a call.
 * @throws AbiError `ABI_DATA` for values that are too many, too few, out of range or of another kind
 */
export function encodeAbi(parameters: readonly AbiParameter[], values: readonly AbiValue[]): Uint8Array {
  return sequence(
    parameters.map(({ type }) => type),
    values,
  );
}

/** Heads in order, then the tails they point to. */
function sequence(types: readonly AbiType[], values: readonly AbiValue[]): Uint8Array {
  if (types.length !== values.length) throw wrong(`${types.length} values expected, ${values.length} given`);
  let offset = types.reduce((sum, type) => sum + headSize(type), 0);
  const heads: Uint8Array[] = [];
  const tails: Uint8Array[] = [];
  types.forEach((type, i) => {
    const encoded = encodeValue(type, values[i] as AbiValue);
    if (!isDynamic(type)) {
      heads.push(encoded);
      return;
    }
    heads.push(word(BigInt(offset)));
    tails.push(encoded);
    offset += encoded.length;
  });
  return concat(...heads, ...tails);
}

function encodeValue(type: AbiType, value: AbiValue): Uint8Array {
  switch (type.kind) {
    case "uint":
    case "int":
      return integer(type, value);
    case "bool":
      return word(value === true ? 1n : 0n);
    case "address":
      return padded(sized(type, value, 20), "left");
    case "fixedBytes":
      return padded(sized(type, value, type.size), "right");
    case "function":
      return padded(sized(type, value, 24), "right");
    case "string":
      return counted(new TextEncoder().encode(value as string));
    case "bytes":
      return counted(value as Uint8Array);
    case "tuple":
      return encodeAbi(type.members, value as readonly AbiValue[]);
    case "array":
      return array(type, value as readonly AbiValue[]);
  }
}

function integer(type: AbiType & { readonly kind: "uint" | "int" }, value: AbiValue): Uint8Array {
  const number = value as bigint;
  const fits = type.kind === "uint" ? BigInt.asUintN(type.bits, number) : BigInt.asIntN(type.bits, number);
  if (fits !== number) throw wrong(`${number} is not a valid ${typeName(type)}`);
  return word(BigInt.asUintN(256, number));
}

function array(type: AbiType & { readonly kind: "array" }, values: readonly AbiValue[]): Uint8Array {
  const { element, length } = type;
  if (length !== undefined && values.length !== length)
    throw wrong(`${typeName(type)} takes ${length} values, not ${values.length}`);
  const body = sequence(
    values.map(() => element),
    values,
  );
  return length === undefined ? concat(word(BigInt(values.length)), body) : body;
}

function sized(type: AbiType, value: AbiValue, size: number): Uint8Array {
  const bytes = value as Uint8Array;
  if (bytes.length !== size) throw wrong(`${typeName(type)} takes ${size} bytes, not ${bytes.length}`);
  return bytes;
}

/** Length and bytes, up to whole words. */
function counted(bytes: Uint8Array): Uint8Array {
  const body = new Uint8Array(Math.ceil(bytes.length / WORD) * WORD);
  body.set(bytes);
  return concat(word(BigInt(bytes.length)), body);
}

function padded(bytes: Uint8Array, side: "left" | "right"): Uint8Array {
  const body = new Uint8Array(WORD);
  body.set(bytes, side === "left" ? WORD - bytes.length : 0);
  return body;
}

function word(number: bigint): Uint8Array {
  return bigintToFixedBytes(number, WORD);
}

function wrong(what: string): AbiError {
  return new AbiError("ABI_DATA", `wrong values for the contract ABI: ${what}`);
}
