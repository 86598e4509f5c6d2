import { isObject, type Json } from "../../protocol/codec/json/value.ts";
import { keccak256, keccak256Of } from "../../protocol/crypto/keccak.ts";
import { concat, type Hash, ZERO_HASH } from "../../protocol/primitives/bytes.ts";
import { typedDataError } from "./errors.ts";
import { type ArrayType, encodeType, type StructTypes, splitArray } from "./struct-types.ts";
import { encodeValue } from "./values.ts";

/** Maximum nesting of structs and arrays in a value; types may be recursive. */
const MAX_DEPTH = 128;

/** Maximum number of structs, arrays and array elements in a value: some 50 ms of hashing. */
const MAX_PARTS = 4_096;

/** Hashes the structs of a piece of typed data. @see EIP-712 */
export class StructHasher {
  readonly #types: StructTypes;
  readonly #typeHashes = new Map<string, Hash>();
  #parts = 0;

  constructor(types: StructTypes) {
    this.#types = types;
  }

  /** `hashStruct` of a value. @throws WalletError `TYPED_DATA` naming the invalid member */
  hash(type: string, value: Json, path = type, depth = 0): Hash {
    if (depth > MAX_DEPTH) throw typedDataError(`${path} is nested too deeply`);
    if (!isObject(value)) throw typedDataError(`${path} must be an object`);
    this.#count(1);
    const parts = [this.#typeHash(type)];
    for (const member of this.#types.get(type) ?? []) {
      const own = Object.hasOwn(value, member.name) ? (value[member.name] as Json) : undefined;
      parts.push(this.#encode(splitArray(member.type), own, `${path}.${member.name}`, depth + 1));
    }
    return keccak256(concat(...parts));
  }

  /** @throws WalletError `TYPED_DATA` */
  #count(parts: number): void {
    this.#parts += parts;
    if (this.#parts > MAX_PARTS) throw typedDataError(`it has more than ${MAX_PARTS} parts`);
  }

  #typeHash(type: string): Hash {
    let hash = this.#typeHashes.get(type);
    if (hash === undefined) {
      hash = keccak256Of(new TextEncoder().encode(encodeType(type, this.#types)));
      this.#typeHashes.set(type, hash);
    }
    return hash;
  }

  /** Encodes a member in 32 bytes. */
  #encode({ base, lengths }: ArrayType, value: Json | undefined, path: string, depth: number): Uint8Array {
    if (lengths.length > 0) return this.#encodeArray({ base, lengths }, value, path, depth);
    if (!this.#types.has(base)) return encodeValue(base, value, path);
    // An absent struct ends a recursive type.
    return value === undefined || value === null ? ZERO_HASH : this.hash(base, value, path, depth);
  }

  #encodeArray({ base, lengths }: ArrayType, value: Json | undefined, path: string, depth: number): Hash {
    if (depth > MAX_DEPTH) throw typedDataError(`${path} is nested too deeply`);
    if (!Array.isArray(value)) throw typedDataError(`${path} must be an array`);
    const length = lengths.at(-1);
    if (length !== undefined && value.length !== length)
      throw typedDataError(`${path} must have ${length} elements, not ${value.length}`);
    this.#count(1 + value.length);
    const element = { base, lengths: lengths.slice(0, -1) };
    return keccak256(
      concat(...value.map((each, i) => this.#encode(element, each, `${path}[${i}]`, depth + 1))),
    );
  }
}
