import { type Item, RlpError } from "../codec/rlp/item.ts";
import { expectMore, located, within } from "../codec/rlp/location.ts";
import { RlpReader } from "../codec/rlp/reader.ts";
import { bigintToBytes, EMPTY_BYTES } from "../primitives/bytes.ts";
import { TransactionError } from "./errors.ts";

/** The wire form of one kind of value. Decoding follows the order and the error texts of the reference node. */
export interface Wire<T> {
  /** @throws RlpError, with `details.path` when the fault lies inside a composite value */
  read(reader: RlpReader): T;
  item(value: T): Item;
  /** Value of an omitted field; absent if the field is required. */
  readonly zero?: T;
}

/** Unsigned integer of at most `bits` bits. */
export function uintWire(type: string, bits: number): Wire<bigint> {
  return { read: (reader) => reader.uint(type, bits / 8), item: bigintToBytes, zero: 0n };
}

/** A number of 64 bits at most. */
export const uint64Wire: Wire<bigint> = uintWire("uint64", 64);

/** Unbounded unsigned integer: the reference reads prices and amounts into big integers. */
export const bigWire: Wire<bigint> = { read: (reader) => reader.uint(), item: bigintToBytes, zero: 0n };

/** Unsigned integer below 2²⁵⁶. */
export const uint256Wire: Wire<bigint> = {
  read(reader) {
    const value = reader.uint("*uint256.Int");
    if (value >> 256n !== 0n) throw new TransactionError("TX_MALFORMED", "rlp: value too large for uint256");
    return value;
  },
  item: bigintToBytes,
  zero: 0n,
};

/** A byte as a number. */
export function byteWire(type: string): Wire<number> {
  return {
    read: (reader) => reader.number(type, 1),
    item: (value) => bigintToBytes(BigInt(value)),
    zero: 0,
  };
}

/** 0x01 or the empty string. */
export const boolWire: Wire<boolean> = {
  read: (reader) => reader.bool(),
  item: (value) => (value ? Uint8Array.of(1) : EMPTY_BYTES),
  zero: false,
};

/** Bytes of any length. */
export const bytesWire: Wire<Uint8Array> = { read: (reader) => reader.bytes(), item: (value) => value };

/** Exactly `size` bytes. */
export function fixedWire(size: number, type: string): Wire<Uint8Array> {
  return { read: (reader) => reader.fixed(size, type), item: (value) => value };
}

/** An address of 20 bytes, a hash of 32. */
export const addressWire: Wire<Uint8Array> = fixedWire(20, "common.Address");
export const hashWire: Wire<Uint8Array> = fixedWire(32, "common.Hash");

const EMPTY_LIST = "rlp: wrong kind of empty value (got List, want String) for *common.Address";

/** An address, or nothing as the empty string (contract creation). */
export const recipientWire: Wire<Uint8Array | undefined> = {
  read(reader) {
    if (reader.isEmpty("list")) throw new RlpError("RLP_SHAPE", EMPTY_LIST);
    if (!reader.isEmpty("string")) return reader.fixed(20, "common.Address", "*common.Address");
    reader.skip();
    return undefined;
  },
  item: (value) => value ?? EMPTY_BYTES,
};

/** A list of like elements; `type` is the Go name of the list. */
export function listWire<T>(type: string, element: Wire<T>): Wire<readonly T[]> {
  return {
    read(reader) {
      const values: T[] = [];
      reader.enterList(type);
      while (!reader.atEnd) {
        try {
          values.push(element.read(reader));
        } catch (error) {
          throw within(error, `[${values.length}]`);
        }
      }
      reader.leaveList();
      return values;
    },
    item: (values) => values.map((value) => element.item(value)),
    zero: [],
  };
}

/** One member of a `structWire`: property, Go field name, wire form. */
export type WireMember<T> = { [K in keyof T]-?: readonly [K, string, Wire<T[K]>] }[keyof T];

/** A list whose elements have names; `type` is the Go name of the struct. */
export function structWire<T extends object>(type: string, members: readonly WireMember<T>[]): Wire<T> {
  return {
    read(reader) {
      const value: Partial<T> = {};
      reader.enterList(type);
      for (const [property, goName, wire] of members) {
        expectMore(reader, type);
        try {
          value[property] = wire.read(reader);
        } catch (error) {
          throw within(error, `.${goName}`);
        }
      }
      reader.leaveList();
      return value as T;
    },
    item: (value) => members.map(([property, , wire]) => wire.item(value[property])),
  };
}

/**
 * Decodes a value that fills the input.
 * @param structs - Go types through which the reference descends to the value, outermost first
 * @throws RlpError with the reference's text
 */
export function decodeWire<T>(wire: Wire<T>, bytes: Uint8Array, structs: readonly string[]): T {
  const reader = new RlpReader(bytes);
  try {
    const value = wire.read(reader);
    reader.finish();
    return value;
  } catch (error) {
    throw located(error, structs);
  }
}
