import { isDeepStrictEqual } from "node:util";
import type { Clock, Randomness } from "../../platform/runtime/runtime.ts";
import { type Address, equalBytes } from "../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { WalletError, walletError } from "../errors.ts";
import type { Passphrase } from "../passphrase.ts";
import type { KeyDeriver } from "./key-derivation.ts";
import { formatKeyFile, formatKeyFileV3, parseKeyFile } from "./key-file.ts";
import type { IndexedFile } from "./key-file-index.ts";
import type { KeyFolder } from "./key-folder.ts";
import { decryptKeyFile, type PrivateKeys, wipe } from "./private-keys.ts";
import { type ScryptCost, type SealedKey, sealKey } from "./sealed-key.ts";

/** Dependencies of writing and reading key files. */
export interface KeyStorageParts {
  readonly folder: KeyFolder;
  readonly cost: ScryptCost;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly deriver: KeyDeriver;
}

type Sealing = Awaited<ReturnType<typeof sealKey>>;

/** Encrypts keys. @returns the text of a key file. @throws WalletError `KEY_FILE` when version 3 cannot hold them */
export async function encryptKeyFile(
  keys: PrivateKeys,
  passphrase: Passphrase,
  parts: Omit<KeyStorageParts, "folder" | "clock">,
  version: 3 | 4 = 4,
): Promise<string> {
  const sealings = await sealAll(keys, passphrase, parts);
  try {
    return format(keys, sealings, version === 3 ? formatKeyFileV3 : formatKeyFile);
  } finally {
    forgetAll(sealings);
  }
}

/**
 * Encrypts keys into a file of version 4, which is read back and decrypted before it gets its final name.
 * @throws WalletError `KEY_FILE_WRITE`
 */
export async function storeKeyFile(
  name: string,
  keys: PrivateKeys,
  passphrase: Passphrase,
  parts: KeyStorageParts,
): Promise<void> {
  const sealings = await sealAll(keys, passphrase, parts);
  const text = format(keys, sealings);
  const verify = (stored: string): void => {
    if (stored === text && decryptsTo(stored, keys, sealings.flat())) return;
    throw new WalletError("KEY_FILE_WRITE", "the stored key file does not hold the key");
  };
  try {
    await parts.folder.write(name, text, verify);
  } finally {
    forgetAll(sealings);
  }
}

/**
 * Reads and decrypts the file of an account.
 * @throws WalletError as `decryptKeyFile`; `NO_KEY` when the file does not exist, `KEY_FILE` when it is of another account
 */
export async function loadKeyFile(
  file: IndexedFile,
  passphrase: Passphrase,
  { folder, deriver }: Pick<KeyStorageParts, "folder" | "deriver">,
): Promise<PrivateKeys> {
  if (folder.stat(file.name) === undefined) throw walletError("NO_KEY");
  const keys = await decryptKeyFile(folder.read(file.name), passphrase, deriver);
  if (equalBytes(keys.address, file.address)) return keys;
  wipe(keys);
  const [have, want] = [keys.address, file.address].map((address) => bytesToHex(address).slice(2));
  throw new WalletError("KEY_FILE", `key content mismatch: have account ${have}, want ${want}`);
}

/** Name of a new file: `UTC--<time>--<address>`, the time in nanoseconds and with dashes for colons. */
export function keyFileName(address: Address, clock: Clock): string {
  const [date, time = ""] = new Date(clock.now()).toISOString().split("T");
  const [second, millisecond] = time.replaceAll(":", "-").slice(0, -1).split(".");
  return `UTC--${date}T${second}.${millisecond}000000Z--${bytesToHex(address).slice(2)}`;
}

/** Whether a key file decrypts to the keys that were sealed, with the same parameters of derivation. */
function decryptsTo(stored: string, { keyring }: PrivateKeys, sealings: readonly Sealing[]): boolean {
  const opened = parseKeyFile(stored).keyring.flat();
  const expected = keyring.flat();
  if (opened.length !== expected.length) return false;
  return sealings.every(({ sealed, reopen }, i) => {
    const found = opened[i] as SealedKey;
    if (!isDeepStrictEqual(found.derivation, sealed.derivation)) return false;
    const key = reopen(found);
    const same = equalBytes(key, expected[i] as Uint8Array);
    key.fill(0);
    return same;
  });
}

/** Sequentially: an account with many keys takes no more than one derivation slot. */
async function sealAll(
  { keyring }: PrivateKeys,
  passphrase: Passphrase,
  parts: Omit<KeyStorageParts, "folder" | "clock">,
): Promise<Sealing[][]> {
  const sealings: Sealing[][] = [];
  for (const role of keyring) {
    const sealed: Sealing[] = [];
    sealings.push(sealed);
    try {
      for (const key of role) sealed.push(await sealKey(key, passphrase, parts));
    } catch (error) {
      forgetAll(sealings);
      throw error;
    }
  }
  return sealings;
}

function forgetAll(sealings: readonly Sealing[][]): void {
  for (const { forget } of sealings.flat()) forget();
}

function format({ address, id }: PrivateKeys, sealings: Sealing[][], write = formatKeyFile): string {
  return write({ address, id, keyring: sealings.map((role) => role.map(({ sealed }) => sealed)) });
}
