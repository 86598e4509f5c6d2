import { decodeItem, encodeItem, type Item, RlpError } from "../../../../src/protocol/codec/rlp/item.ts";
import { numbersOf } from "../../decoding/mutations.ts";
import { hold } from "../row.ts";

/** Maximum length of an input. */
const MAX_LENGTH = 96;
/** Inputs between two checks of the memory. */
const EVERY = 50_000;
const MIB = 1024 * 1024;

/** An item with a few levels of nesting. */
function itemOf(next: () => number, depth = 0): Item {
  if (depth === 3 || next() % 3 > 0) {
    const bytes = new Uint8Array(next() % 8 === 0 ? next() % 70 : next() % 5);
    for (let i = 0; i < bytes.length; i++) bytes[i] = next();
    return bytes;
  }
  return Array.from({ length: next() % 4 }, () => itemOf(next, depth + 1));
}

/** Bytes at random, an encoding, or an encoding with something changed, inserted, cut off or duplicated. */
function inputOf(next: () => number): Uint8Array {
  if (next() % 4 === 0) return Uint8Array.from({ length: next() % MAX_LENGTH }, next);
  const bytes = [...encodeItem(itemOf(next)).subarray(0, MAX_LENGTH)];
  for (let changes = next() % 4; changes > 0; changes--) {
    const at = next() % (bytes.length + 1);
    const tag = [0x80, 0xb7, 0xb8, 0xbf, 0xc0, 0xf7, 0xf8, 0xff, 0x00, next() & 0xff][next() % 10] as number;
    const kind = next() % 4;
    if (kind === 0) bytes[at] = tag;
    else if (kind === 1) bytes.splice(at, 0, tag);
    else if (kind === 2) bytes.splice(at, next() % 4);
    else bytes.push(...bytes.slice(at));
  }
  return Uint8Array.from(bytes);
}

/**
 * Decodes inputs: only the typed error is thrown, and what is accepted encodes to the same bytes, so that no value has two
 * encodings.
 */
export function fuzzRlp(inputs: number, seed = 0x6b616961): string {
  const next = numbersOf(seed);
  let taken = 0;
  let max = 0;
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0; // stack traces would dominate the run time
  for (let i = 0; i < inputs; i++) {
    const bytes = inputOf(next);
    const outcome = verdict(bytes);
    hold(outcome === "taken" || outcome === "refused", `${outcome}: ${Buffer.from(bytes).toString("hex")}`);
    if (outcome === "taken") taken++;
    if (i % EVERY === 0) max = Math.max(max, process.memoryUsage().heapUsed);
  }
  Error.stackTraceLimit = stackTraceLimit;
  hold(claimsAreFree(), "a claimed length is allocated");
  return `${inputs} inputs, ${taken} taken, heap ${(max / MIB).toFixed(0)} MiB`;
}

function verdict(bytes: Uint8Array): string {
  try {
    return Buffer.compare(encodeItem(decodeItem(bytes)), bytes) === 0
      ? "taken"
      : "taken, and written otherwise";
  } catch (error) {
    return error instanceof RlpError ? "refused" : (error as Error).message;
  }
}

/** Whether lengths of up to 2^53 cost nothing if the bytes are missing. */
function claimsAreFree(): boolean {
  const before = process.memoryUsage();
  for (let size = 1; size <= 8; size++) {
    for (const base of [0xb7, 0xf7]) {
      const claim = Uint8Array.from([base + size, ...new Uint8Array(size).fill(0x1f), 1, 2, 3]);
      try {
        decodeItem(claim);
        return false;
      } catch (error) {
        if (!(error instanceof RlpError)) return false;
      }
    }
  }
  const after = process.memoryUsage();
  return after.arrayBuffers - before.arrayBuffers + after.heapUsed - before.heapUsed < 8 * MIB;
}
