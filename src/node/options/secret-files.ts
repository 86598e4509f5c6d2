import { ConfigError } from "../../platform/config/types.ts";
import { isOpenToOthers } from "../../platform/runtime/open-file.ts";
import { readBoundedText, SMALL_FILE_BYTES } from "../../platform/runtime/read-bounded.ts";
import { isPrivateKey } from "../../protocol/crypto/secp256k1.ts";
import { hexToBytes } from "../../protocol/primitives/hex.ts";

/** System errors name an operation, but not always the file. */
const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EISDIR: "it is a folder",
  EACCES: "this user may not read it",
};

/** Whether 32 bytes are a valid private key. */
type KeyRange = (key: Uint8Array) => boolean;

/** The private key in the file that a flag names, 32 bytes. @throws ConfigError */
export function readKeyFile(path: string, flag: string, isInRange: KeyRange = isPrivateKey): Uint8Array {
  return parseKey(readText(path, flag).trim(), `${flag} ${path}`, isInRange);
}

/**
 * A private key of 32 bytes in hex, with or without 0x.
 * @param where - what the error says it came from
 * @throws ConfigError
 */
export function parseKey(text: string, where: string, isInRange: KeyRange = isPrivateKey): Uint8Array {
  const hex = text.replace(/^0x/, "");
  if (!/^[0-9a-fA-F]{64}$/.test(hex)) {
    throw new ConfigError("CONFIG_VALUE", `${where}: a private key of 64 hex digits is expected`);
  }
  const key = hexToBytes(`0x${hex}`);
  if (isInRange(key)) return key;
  throw new ConfigError("CONFIG_VALUE", `${where}: a private key lies between 0 and the order of its curve`);
}

/** @throws ConfigError for one that others may read, or that is not 32 bytes in hex */
export function readSecret(path: string, flag: string): Uint8Array {
  const hex = readText(path, flag).trim().replace(/^0x/, "");
  if (isOpenToOthers(path))
    throw new ConfigError("CONFIG_VALUE", `${flag}: others may read ${path}; chmod 600 it`);
  if (!/^[0-9a-fA-F]{64}$/.test(hex))
    throw new ConfigError("CONFIG_VALUE", `${flag} ${path}: 64 hex digits are expected`);
  return hexToBytes(`0x${hex}`);
}

/**
 * A small file that a flag names.
 * @param waitMs - how long a pipe may be silent, in milliseconds
 * @throws ConfigError when it cannot be read
 */
export function readText(path: string, flag: string, waitMs?: number): string {
  try {
    return readBoundedText(path, { maxBytes: SMALL_FILE_BYTES, ...(waitMs && { waitMs }) });
  } catch (cause) {
    const { code = "", message } = cause as NodeJS.ErrnoException;
    throw new ConfigError("CONFIG_FILE", `${flag} ${path}: ${UNREADABLE[code] ?? message}`);
  }
}
