import { bytesToBigint } from "../../primitives/bytes.ts";
import { AbiError, type AbiParameter, type AbiType } from "./types.ts";

/** A value of the contract ABI: integers as bigint, addresses and bytes as bytes, arrays and structs as lists. */
export type AbiValue = bigint | boolean | string | Uint8Array | readonly AbiValue[];

const WORD = 32;
/** Maximum values of one encoding, nested ones included: offsets may point to the same bytes repeatedly. */
const MAX_VALUES = 4096;
/** Maximum bytes of all texts and byte strings of one encoding, for the same reason. */
const MAX_BYTES = 1 << 20;

/**
 * Decodes values, ignoring wrong padding.
 * @throws AbiError `ABI_DATA` for bytes that are too short, point outside of themselves, or hold too many values
 */
export function decodeAbi(parameters: readonly AbiParameter[], bytes: Uint8Array): readonly AbiValue[] {
  return new Decoder(bytes).tuple(parameters, 0);
}

/** Whether a type is dynamic: encoded elsewhere, with an offset in its place. */
export function isDynamic(type: AbiType): boolean {
  switch (type.kind) {
    case "string":
    case "bytes":
      return true;
    case "array":
      return type.length === undefined || isDynamic(type.element);
    case "tuple":
      return type.members.some((member) => isDynamic(member.type));
    default:
      return false;
  }
}

/** Bytes that a type takes in the head. */
export function headSize(type: AbiType): number {
  if (isDynamic(type)) return WORD;
  if (type.kind === "array") return (type.length as number) * headSize(type.element);
  if (type.kind === "tuple") return type.members.reduce((sum, member) => sum + headSize(member.type), 0);
  return WORD;
}

class Decoder {
  readonly #bytes: Uint8Array;
  #values = 0;
  #read = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  tuple(members: readonly AbiParameter[], base: number): readonly AbiValue[] {
    let at = base;
    return members.map(({ type }) => {
      const value = this.#member(type, base, at);
      at += headSize(type);
      return value;
    });
  }

  /** @param base - where offsets count from */
  #member(type: AbiType, base: number, at: number): AbiValue {
    return this.#value(type, isDynamic(type) ? base + this.#number(at) : at);
  }

  #value(type: AbiType, at: number): AbiValue {
    if (++this.#values > MAX_VALUES) throw wrongData("too many values");
    switch (type.kind) {
      case "uint":
        return BigInt.asUintN(type.bits, bytesToBigint(this.#word(at)));
      case "int":
        return BigInt.asIntN(type.bits, bytesToBigint(this.#word(at)));
      case "bool":
        return this.#word(at).some((byte) => byte !== 0);
      case "address":
        return this.#word(at).slice(12);
      case "fixedBytes":
        return this.#word(at).slice(0, type.size);
      case "function":
        return this.#word(at).slice(0, 24);
      case "string":
        return new TextDecoder().decode(this.#sized(at));
      case "bytes":
        return this.#sized(at).slice();
      case "tuple":
        return this.tuple(type.members, at);
      case "array":
        return this.#array(type, at);
    }
  }

  #array({ element, length }: AbiType & { readonly kind: "array" }, at: number): readonly AbiValue[] {
    const size = length ?? this.#number(at);
    if (size > MAX_VALUES) throw wrongData("too many values");
    const base = length === undefined ? at + WORD : at;
    const step = headSize(element);
    return Array.from({ length: size }, (_, i) => this.#member(element, base, base + i * step));
  }

  #sized(at: number): Uint8Array {
    const length = this.#number(at);
    this.#read += length;
    if (this.#read > MAX_BYTES) throw wrongData("too many bytes");
    return this.#slice(at + WORD, length);
  }

  #number(at: number): number {
    const value = bytesToBigint(this.#word(at));
    if (value > BigInt(this.#bytes.length)) throw wrongData("points outside of itself");
    return Number(value);
  }

  #word(at: number): Uint8Array {
    return this.#slice(at, WORD);
  }

  #slice(at: number, length: number): Uint8Array {
    if (at + length > this.#bytes.length) throw wrongData("too short");
    return this.#bytes.subarray(at, at + length);
  }
}

function wrongData(what: string): AbiError {
  return new AbiError("ABI_DATA", `the encoding of the contract ABI is wrong: ${what}`);
}
