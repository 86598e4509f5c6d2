import { createHash } from "node:crypto";
import type { ChangeRecord } from "../change-log.ts";

/** SHA-256 of height (8 bytes), hash, parent hash, state root and payload of a record. */
export function recordChecksum(
  { height, hash, parentHash, stateRoot }: Pick<ChangeRecord, "height" | "hash" | "parentHash" | "stateRoot">,
  payload: Uint8Array,
): Uint8Array {
  const number = Buffer.alloc(8);
  number.writeBigUInt64BE(height);
  const sum = createHash("sha256").update(number).update(hash).update(parentHash).update(stateRoot);
  return sum.update(payload).digest();
}
