import { numberKey } from "../../database/table/number-key.ts";
import type { BlockState } from "./log/log-record.ts";
import { keyNumber, type StateTables } from "./tables.ts";

/** Row of the head table: number, hash and state root of the newest block. */
const HEAD_KEY = Buffer.from("head");

/** The newest block in the tables. */
export function readHead({ head }: StateTables): BlockState | undefined {
  const row = head.get(HEAD_KEY);
  if (!row || row.length === 0) return undefined;
  return { number: keyNumber(row.subarray(0, 8)), hash: row.slice(8, 40), root: row.slice(40) };
}

/** Stores the newest block. */
export function putHead({ head }: StateTables, { number, hash, root }: BlockState): void {
  head.put(HEAD_KEY, Buffer.concat([numberKey(number), hash, root]));
}
