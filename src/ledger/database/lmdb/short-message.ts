import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { LARGE_FILE, readTextWithin } from "../../../platform/intake/read-file.ts";

/** The beginning of LMDB's message for a failed write (`mdb_page_flush`), whose last three numbers have eleven characters each. */
const FORMAT = Buffer.from("Attempting to write page at position %u, size %u, blocks %u, buffer sizes");
/** Where it ends from now on: the text before has at most 83 bytes. */
const SHORT = FORMAT.indexOf(", buffer sizes");

let isDone = false;

/**
 * Shortens LMDB's message for a failed write in the memory of this process: one byte, which ends its format earlier. LMDB
 * formats it into a buffer of 100 bytes and, where it has more, overwrites the heap, which ends the process at once or later.
 * Without effect where the system does not let a process write its own constants, and on macOS.
 */
export function shortenWriteError(): void {
  if (isDone) return;
  isDone = true;
  try {
    const memory = openSync("/proc/self/mem", "r+");
    try {
      constantsOfLmdb().some(([from, to]) => endFormatWithin(memory, from, to));
    } finally {
      closeSync(memory);
    }
  } catch {
    // LMDB may end the process after a failed write, as without this.
  }
}

/** Addresses of what cannot be written of LMDB's library: from, to. */
function constantsOfLmdb(): [number, number][] {
  const parts = readTextWithin("/proc/self/maps", LARGE_FILE).split("\n");
  return parts
    .filter((part) => part.includes(" r-") && part.includes("/lmdb") && part.endsWith(".node"))
    .map((part) => part.split(/[- ]/, 2).map((address) => Number(`0x${address}`)) as [number, number]);
}

/** @returns whether the format was between the two addresses */
function endFormatWithin(memory: number, from: number, to: number): boolean {
  const bytes = Buffer.alloc(to - from);
  const length = readSync(memory, bytes, 0, bytes.length, from);
  const at = bytes.subarray(0, length).indexOf(FORMAT);
  if (at >= 0) writeSync(memory, Uint8Array.of(0), 0, 1, from + at + SHORT);
  return at >= 0;
}
