import { HASH_LENGTH } from "./branch.ts";

const BRANCH = 1;
const EXTENSION = 2;
const ROOT_LEAF = 3;

/** An extension: its path and the reference of the branch below, as views of its record. */
export interface Extension {
  /** One nibble per byte. */
  readonly nibbles: Uint8Array;
  readonly ref: Uint8Array;
}

/** Whether a record is a branch. */
export const isBranchRecord = (record: Uint8Array): boolean => record[0] === BRANCH;

/** Encodes an extension: 02, number of nibbles, nibbles, length of the reference, reference. */
export function extensionRecord({ nibbles, ref }: Extension): Uint8Array {
  const record = new Uint8Array(3 + nibbles.length + ref.length);
  record[0] = EXTENSION;
  record[1] = nibbles.length;
  record.set(nibbles, 2);
  record[2 + nibbles.length] = ref.length;
  record.set(ref, 3 + nibbles.length);
  return record;
}

/** Decodes an extension; undefined for any other record. */
export function readExtensionRecord(record: Uint8Array): Extension | undefined {
  if (record[0] !== EXTENSION) return undefined;
  const end = 2 + (record[1] as number);
  return {
    nibbles: record.subarray(2, end),
    ref: record.subarray(end + 1, end + 1 + (record[end] as number)),
  };
}

/** Encodes the root of a trie with a single entry: 03 and its key. Other leaves have no record. */
export function rootLeafRecord(key: Uint8Array): Uint8Array {
  const record = new Uint8Array(1 + HASH_LENGTH);
  record[0] = ROOT_LEAF;
  record.set(key, 1);
  return record;
}

/** Key of the only entry; undefined for any other record. */
export function readRootLeafRecord(record: Uint8Array): Uint8Array | undefined {
  return record[0] === ROOT_LEAF ? record.subarray(1) : undefined;
}
