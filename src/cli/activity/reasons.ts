import type { Names } from "../../api/artifacts/names.ts";
import { revertText } from "../../node/service/activity/revert-text.ts";
import { bytesToHex, hexToBytes } from "../../protocol/primitives/hex.ts";

/** Bytes shown of a revert output that cannot be decoded. */
const MAX_BYTES = 68;

/** What is known about a failure. */
export interface KnownFailure {
  /** The node's error text. */
  readonly error: string;
  /** The revert reason, if it is a string or a panic; only needed if the output was cut. */
  readonly reason?: string | undefined;
  /** The revert output. */
  readonly output?: Uint8Array | undefined;
  /** The callee. */
  readonly contract?: Uint8Array | undefined;
}

/**
 * The reason of a failure: the contract's, with the name of its custom error if known, otherwise the node's error
 * text.
 */
export function reasonOf({ error, reason, output, contract }: KnownFailure, names: Names): string {
  if (output === undefined || output.length === 0) return error;
  const said =
    names.error(output, contract) ??
    revertText(output) ??
    (reason === undefined ? undefined : JSON.stringify(reason));
  if (said !== undefined) return `reverted: ${said}`;
  const shown = bytesToHex(output.subarray(0, MAX_BYTES));
  return `reverted: ${shown}${output.length > MAX_BYTES ? `… (${output.length} bytes)` : ""}`;
}

/** Decodes hex from a caller or a node; undefined if it is not hex, or longer than 64 KiB. */
export function bytesOfText(text: unknown): Uint8Array | undefined {
  if (typeof text !== "string" || text.length > 2 ** 17) return undefined;
  return /^0x(?:[0-9a-fA-F]{2})*$/.test(text) ? hexToBytes(text) : undefined;
}
