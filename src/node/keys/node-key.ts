import { existsSync } from "node:fs";
import { join } from "node:path";
import { createFolder } from "../../platform/runtime/create-folder.ts";
import { writeNewFile } from "../../platform/runtime/new-file.ts";
import { readBoundedText, SMALL_FILE_BYTES } from "../../platform/runtime/read-bounded.ts";
import type { Randomness } from "../../platform/runtime/runtime.ts";
import { isRegularOrNone, notRegular } from "../../platform/runtime/system/regular-file.ts";
import { isBlsSecretKey } from "../../protocol/crypto/bls.ts";
import { isPrivateKey } from "../../protocol/crypto/secp256k1.ts";
import { NodeError } from "../../protocol/primitives/errors.ts";
import { bytesToHex, hexToBytes } from "../../protocol/primitives/hex.ts";

/** The node key is missing or invalid, or cannot be written; `details.code` is the system's then. */
export class NodeKeyError extends NodeError<"NODE_KEY" | "NODE_KEY_UNWRITABLE"> {
  override name = "NodeKeyError";
}

/** Paths of the key in a data folder: kairn's, and that of the reference node. */
const PLACES = ["nodekey", join("klay", "nodekey")];
const BLS_PLACES = ["bls-nodekey", join("klay", "bls-nodekey")];

/**
 * The key of a data folder, 32 bytes; created (mode 0600) if missing.
 * @throws NodeKeyError if the file contains no valid key
 */
export function readOrCreateNodeKey(dataDir: string, randomness: Randomness): Uint8Array {
  for (const place of PLACES) {
    const file = join(dataDir, place);
    if (isThere(file)) return readKey(file, isPrivateKey);
  }
  const key = randomness.bytes(32);
  const file = join(dataDir, "nodekey");
  try {
    createFolder(dataDir);
    writeNewFile(file, bytesToHex(key).slice(2), 0o600);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    throw new NodeKeyError(
      "NODE_KEY_UNWRITABLE",
      `the node key cannot be written to ${file}: ${message}`,
      { file, code },
      { cause },
    );
  }
  return key;
}

/**
 * The BLS key in a data folder, 32 bytes; undefined if there is none, so that it is derived from the node key.
 * @throws NodeKeyError if the file contains no valid key
 */
export function readBlsNodeKey(dataDir: string): Uint8Array | undefined {
  const file = BLS_PLACES.map((place) => join(dataDir, place)).find(isThere);
  if (file === undefined) return undefined;
  return readKey(file, isBlsSecretKey);
}

function isThere(file: string): boolean {
  return existsSync(file) || !isRegularOrNone(file);
}

function readKeyText(file: string): string {
  try {
    return readBoundedText(file, { maxBytes: SMALL_FILE_BYTES }).trim();
  } catch (cause) {
    const { message } = cause as Error;
    throw new NodeKeyError("NODE_KEY", `the node key cannot be read: ${message}`, { file }, { cause });
  }
}

function readKey(file: string, isInRange: (key: Uint8Array) => boolean): Uint8Array {
  if (!isRegularOrNone(file)) throw new NodeKeyError("NODE_KEY", notRegular(file).message, { file });
  const text = readKeyText(file);
  const key = /^(0x)?[0-9a-fA-F]{64}$/.test(text) ? hexToBytes(`0x${text.replace(/^0x/, "")}`) : undefined;
  if (key !== undefined && isInRange(key)) return key;
  const expected = key === undefined ? "64 hex digits" : "between 0 and the order of its curve";
  throw new NodeKeyError("NODE_KEY", `${file} holds no private key (${expected})`, { file });
}
