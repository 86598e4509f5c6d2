import { encodeItem } from "../codec/rlp/item.ts";
import { RlpReader } from "../codec/rlp/reader.ts";
import { type Address, concat, EMPTY_BYTES } from "../primitives/bytes.ts";
import { BlockError } from "./errors.ts";

/** Bytes of free text before the Istanbul fields; the last one holds the round. */
export const VANITY_LENGTH = 32;

/** The contents of a header's extra data. */
export interface IstanbulExtra {
  /** 32 bytes; byte 31 is the round in which the block was committed. */
  readonly vanity: Uint8Array;
  /** Qualified validators, as the proposer wrote them; only the genesis' list is used. */
  readonly validators: readonly Address[];
  /** 65 bytes r ‖ s ‖ parity; empty before sealing. */
  readonly seal: Uint8Array;
  /** 65 bytes each, in any order. */
  readonly committedSeals: readonly Uint8Array[];
}

/** Extra data of a header: vanity, then `rlp([validators, seal, committedSeals])`. */
export function encodeIstanbulExtra(extra: IstanbulExtra): Uint8Array {
  return concat(extra.vanity, encodeItem([extra.validators, extra.seal, extra.committedSeals]));
}

/**
 * Decodes the extra data of a header.
 * @returns views of the input
 * @throws BlockError when the vanity is cut short, RlpError when the rest is malformed
 */
export function decodeIstanbulExtra(extra: Uint8Array): IstanbulExtra {
  if (extra.length < VANITY_LENGTH) {
    throw new BlockError("BLOCK_EXTRA_FORMAT", "invalid istanbul header extra-data");
  }
  const reader = new RlpReader(extra, VANITY_LENGTH);
  reader.enterList("types.IstanbulExtra");
  const validators = readList(reader, () => reader.fixed(20, "common.Address"));
  const seal = reader.bytes();
  const committedSeals = readList(reader, () => reader.bytes());
  reader.leaveList();
  reader.finish();
  return { vanity: extra.subarray(0, VANITY_LENGTH), validators, seal, committedSeals };
}

function readList<T>(reader: RlpReader, element: () => T): T[] {
  const elements: T[] = [];
  reader.enterList("list");
  while (!reader.atEnd) elements.push(element());
  reader.leaveList();
  return elements;
}

/** Round in which a block was committed, 0…255; 0 when the extra data is too short to hold one. */
export function roundOf(extra: Uint8Array): number {
  return extra[VANITY_LENGTH - 1] ?? 0;
}

/** Extra data of a block to be sealed: round 0, no seals. `vanity` is truncated or padded to 32 bytes. */
export function unsealedExtra(vanity: Uint8Array, validators: readonly Address[]): Uint8Array {
  const text = new Uint8Array(VANITY_LENGTH);
  text.set(vanity.subarray(0, VANITY_LENGTH - 1));
  return encodeIstanbulExtra({ vanity: text, validators, seal: EMPTY_BYTES, committedSeals: [] });
}
