import { bigintToBytes, bytesToBigint } from "../../primitives/bytes.ts";
import { type Item, RlpError } from "./item.ts";

/** Translates one value to and from its RLP item. */
export interface Codec<T> {
  encode(value: T): Item;
  decode(item: Item): T;
}

function bytesOf(item: Item): Uint8Array {
  if (!(item instanceof Uint8Array)) throw new RlpError("RLP_SHAPE", "list where bytes belong");
  return item;
}

export const bytes: Codec<Uint8Array> = { encode: (value) => value, decode: bytesOf };

/** Unsigned integer: big-endian, no leading zeros. */
export const uint: Codec<bigint> = {
  encode: bigintToBytes,
  decode(item) {
    const b = bytesOf(item);
    if (b[0] === 0) throw new RlpError("RLP_NOT_CANONICAL", "integer with leading zeros");
    return bytesToBigint(b);
  },
};

export function fixed(size: number): Codec<Uint8Array> {
  return {
    encode: (value) => value,
    decode(item) {
      const b = bytesOf(item);
      if (b.length !== size) throw new RlpError("RLP_SHAPE", `want ${size} bytes, have ${b.length}`);
      return b;
    },
  };
}

export function list<T>(element: Codec<T>): Codec<T[]> {
  return {
    encode: (values) => values.map((v) => element.encode(v)),
    decode(item) {
      if (item instanceof Uint8Array) throw new RlpError("RLP_SHAPE", "bytes where a list belongs");
      return item.map((i) => element.decode(i));
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: variance marker, never read
export type Fields = Record<string, Codec<any>>;
export type ValueOf<F extends Fields> = { [K in keyof F]: F[K] extends Codec<infer T> ? T : never };

/** A list whose elements have names: the order of the keys is the order on the wire. */
export function struct<F extends Fields>(fields: F): Codec<ValueOf<F>> {
  const entries = Object.entries(fields);
  return {
    encode: (value) => entries.map(([name, codec]) => codec.encode(value[name])),
    decode(item) {
      if (item instanceof Uint8Array || item.length !== entries.length) {
        throw new RlpError("RLP_SHAPE", `want a list of ${entries.length} items`);
      }
      return Object.fromEntries(
        entries.map(([name, codec], i) => [name, codec.decode(item[i] as Item)]),
      ) as ValueOf<F>;
    },
  };
}

export const address: Codec<Uint8Array> = fixed(20);
