import { type Pace, runPaced, runSync } from "../../platform/runtime/turns/pace.ts";
import { encodeItem, RlpError } from "../../protocol/codec/rlp/item.ts";
import { encodeList } from "../../protocol/codec/rlp/list.ts";
import { RlpReader } from "../../protocol/codec/rlp/reader.ts";
import { bigintToBytes, EMPTY_BYTES } from "../../protocol/primitives/bytes.ts";

/** Decoding in steps, each of which yields how many bytes of memory its values take besides the message. */
export type Steps<T> = Generator<number, T>;

/** A codec of a value in a message. */
export interface Codec<T> {
  /** @throws RlpError */
  read(reader: RlpReader): T;
  /** RLP of the value. */
  write(value: T): Uint8Array;
  /** Like `read`, in steps of a millisecond at most; present if a value may take long to decode. */
  steps?(reader: RlpReader): Steps<T>;
}

/** The value type of a codec. */
export type CodecValue<C> = C extends Codec<infer T> ? T : never;

/** Unsigned integer of at most `bits` bits; by default unbounded. */
export function uint(type: string, bits: number = Number.POSITIVE_INFINITY): Codec<bigint> {
  return {
    read: (reader) => reader.uint(type, bits / 8),
    write: (value) => encodeItem(bigintToBytes(value)),
  };
}

/** Exactly `size` bytes. */
export function fixed(size: number, type: string): Codec<Uint8Array> {
  return { read: (reader) => reader.fixed(size, type), write: encodeItem };
}

/** Types named as in the reference's errors: a 64-bit number, a hash of 32 bytes, an address of 20. */
export const uint64: Codec<bigint> = uint("uint64", 64);
export const hash: Codec<Uint8Array> = fixed(32, "common.Hash");
export const address: Codec<Uint8Array> = fixed(20, "common.Address");
/** Bytes of any length. */
export const bytes: Codec<Uint8Array> = { read: (reader) => reader.bytes(), write: encodeItem };
/** 0x01 or the empty string. */
export const bool: Codec<boolean> = {
  read: (reader) => reader.bool(),
  write: (value) => encodeItem(value ? Uint8Array.of(1) : EMPTY_BYTES),
};

/** A value with existing encode and decode functions. */
export function encoded<T>(decode: (bytes: Uint8Array) => T, encode: (value: T) => Uint8Array): Codec<T> {
  return { read: (reader) => decode(reader.raw()), write: encode };
}

/** A value that is read in steps. */
export function stepped<T>(
  steps: (reader: RlpReader) => Steps<T>,
  write: (value: T) => Uint8Array,
): Codec<T> {
  return { read: (reader) => runSync(steps(reader)), write, steps };
}

/** Elements of a list read in one step, unless they have steps of their own. */
const ELEMENTS_PER_STEP = 16;

/**
 * A list.
 * @param type - Go name of the list, for error texts
 * @param most - maximum length
 */
export function list<T>(type: string, element: Codec<T>, most: number): Codec<readonly T[]> {
  function* steps(reader: RlpReader): Steps<T[]> {
    const values: T[] = [];
    reader.enterList(type);
    while (!reader.atEnd) {
      if (values.length === most)
        throw new RlpError("RLP_SHAPE", `rlp: more than ${most} elements for ${type}`);
      values.push(element.steps ? yield* element.steps(reader) : element.read(reader));
      if (element.steps || values.length % ELEMENTS_PER_STEP === 0) yield 0;
    }
    reader.leaveList();
    return values;
  }
  return stepped(steps, (values) => encodeList(values.map((value) => element.write(value))));
}

/** An RLP list as an object, whose members are in the given order. */
export function record<T extends object>(
  type: string,
  members: { readonly [K in keyof T]: Codec<T[K]> },
): Codec<T> {
  const entries = Object.entries(members) as [keyof T, Codec<T[keyof T]>][];
  function* steps(reader: RlpReader): Steps<T> {
    const value: Partial<T> = {};
    reader.enterList(type);
    for (const [name, codec] of entries) {
      if (reader.atEnd) throw new RlpError("RLP_SHAPE", `rlp: too few elements for ${type}`);
      value[name] = codec.steps ? yield* codec.steps(reader) : codec.read(reader);
    }
    reader.leaveList();
    return value as T;
  }
  return stepped(steps, (value) => encodeList(entries.map(([name, codec]) => codec.write(value[name]))));
}

/**
 * Decodes a value that fills the input, in steps if its codec has them.
 * @param onMemory - called with what each step yields
 * @throws RlpError; any error of the pace
 */
export async function decodeInSteps<T>(
  codec: Codec<T>,
  payload: Uint8Array,
  pace: Pace,
  onMemory: (bytes: number) => void = () => {},
): Promise<T> {
  const reader = new RlpReader(payload);
  const steps = codec.steps?.(reader);
  if (steps === undefined) return decodeValue(codec, payload);
  const value = await runPaced(pace, reported(steps, onMemory));
  reader.finish();
  return value;
}

function* reported<T>(steps: Steps<T>, onMemory: (bytes: number) => void): Generator<void, T> {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value;
    if (step.value > 0) onMemory(step.value);
    yield;
  }
}

/** Decodes a value that fills the input. @throws RlpError */
export function decodeValue<T>(codec: Codec<T>, payload: Uint8Array): T {
  const reader = new RlpReader(payload);
  const value = codec.read(reader);
  reader.finish();
  return value;
}
