import { bytesToHex, hexToBytes } from "../../protocol/primitives/hex.ts";
import type { Names } from "./names.ts";

/** Bytes of an answer that nobody can name which are shown. */
const MOST_BYTES = 68;

/** What is known of a failure. */
export interface Failure {
  /** In the words of the node. */
  readonly error: string;
  /** What a contract said, where it is a text or a panic. */
  readonly reason?: string | undefined;
  /** What it gave back. */
  readonly output?: Uint8Array | undefined;
  /** Who was called. */
  readonly contract?: Uint8Array | undefined;
}

/** Why something failed: what the contract said, by the name of its error where that is known, else in the node's words. */
export function reasonOf({ error, reason, output, contract }: Failure, names: Names): string {
  if (output === undefined || output.length === 0) return error;
  const said = names.error(output, contract) ?? (reason === undefined ? undefined : JSON.stringify(reason));
  if (said !== undefined) return `reverted: ${said}`;
  const shown = bytesToHex(output.subarray(0, MOST_BYTES));
  return `reverted: ${shown}${output.length > MOST_BYTES ? `… (${output.length} bytes)` : ""}`;
}

/** Bytes of a text that a caller or a node has written as hex; undefined where it is none, or of more than 64 KiB. */
export function bytesOfText(text: unknown): Uint8Array | undefined {
  if (typeof text !== "string" || text.length > 2 ** 17) return undefined;
  return /^0x(?:[0-9a-fA-F]{2})*$/.test(text) ? hexToBytes(text) : undefined;
}
