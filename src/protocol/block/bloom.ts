import { keccak256 } from "../crypto/keccak.ts";
import { allocatorOfMany, equalBytes } from "../primitives/bytes.ts";
import type { Log } from "./receipt.ts";

/** Bytes of a bloom: 2,048 bits. */
export const BLOOM_LENGTH = 256;

/** The bloom of no logs. Shared: never change it. */
export const EMPTY_BLOOM: Uint8Array = new Uint8Array(BLOOM_LENGTH);

/** An array of their own costs more than all their hashes. */
const allocateBloom = allocatorOfMany();

/** Bloom filter over the addresses and topics of logs: three of 2048 bits each. @see Yellow Paper, section 4.3.1 */
export function logsBloom(logs: readonly Log[]): Uint8Array {
  if (logs.length === 0) return EMPTY_BLOOM;
  const bloom = allocateBloom(BLOOM_LENGTH);
  // Most logs of a transaction have the address and the first topic of the one before.
  let before: Log | undefined;
  for (const log of logs) {
    const { address, topics } = log;
    if (before === undefined || !equalBytes(address, before.address)) addToBloom(bloom, address);
    for (let i = 0; i < topics.length; i++) {
      const topic = topics[i] as Uint8Array;
      const known = i === 0 ? before?.topics[0] : undefined;
      if (known === undefined || !equalBytes(topic, known)) addToBloom(bloom, topic);
    }
    before = log;
  }
  return bloom;
}

/** The union of blooms: a block's bloom from its receipts'. */
export function mergeBlooms(blooms: Iterable<Uint8Array>): Uint8Array {
  const union = new Uint8Array(BLOOM_LENGTH);
  for (const bloom of blooms) {
    if (bloom === EMPTY_BLOOM) continue;
    for (let i = 0; i < BLOOM_LENGTH; i++) union[i] = (union[i] as number) | (bloom[i] as number);
  }
  return union;
}

/** Whether an address or topic may be among the logs: false is certain, true is not. */
export function bloomContains(bloom: Uint8Array, value: Uint8Array): boolean {
  const hash = keccak256(value);
  for (let i = 0; i < 6; i += 2) {
    const bit = bitAt(hash, i);
    if (((bloom[byteOf(bit)] as number) & (1 << (bit & 7))) === 0) return false;
  }
  return true;
}

function addToBloom(bloom: Uint8Array, value: Uint8Array): void {
  const hash = keccak256(value);
  for (let i = 0; i < 6; i += 2) {
    const bit = bitAt(hash, i);
    bloom[byteOf(bit)] = (bloom[byteOf(bit)] as number) | (1 << (bit & 7));
  }
}

/** Number of the filter's bit, 0…2047, from the 11 low bits of two bytes of the hash. */
function bitAt(hash: Uint8Array, i: number): number {
  return (((hash[i] as number) << 8) | (hash[i + 1] as number)) & 2047;
}

/** The filter is one big-endian number: bit 0 is in the last byte. */
function byteOf(bit: number): number {
  return BLOOM_LENGTH - 1 - (bit >> 3);
}
