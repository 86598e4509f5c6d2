import { createHash } from "node:crypto";
import { runSync } from "../../../platform/runtime/turns/pace.ts";
import type { ChangeRecord } from "../change-log.ts";

/** Bytes hashed per step: some two milliseconds. */
const BYTES_PER_STEP = 1 << 20;

type Fields = Pick<ChangeRecord, "height" | "hash" | "parentHash" | "stateRoot">;

/** SHA-256 of height (8 bytes), hash, parent hash, state root and payload of a record. */
export function recordChecksum(fields: Fields, payload: Uint8Array): Uint8Array {
  return runSync(recordChecksumInSteps(fields, payload));
}

/** As `recordChecksum`, in steps. */
export function* recordChecksumInSteps(
  { height, hash, parentHash, stateRoot }: Fields,
  payload: Uint8Array,
): Generator<void, Uint8Array> {
  const number = Buffer.alloc(8);
  number.writeBigUInt64BE(height);
  const sum = createHash("sha256").update(number).update(hash).update(parentHash).update(stateRoot);
  for (let at = 0; at < payload.length; at += BYTES_PER_STEP) {
    sum.update(payload.subarray(at, at + BYTES_PER_STEP));
    yield;
  }
  return sum.digest();
}
