import type { Address } from "../../protocol/primitives/bytes.ts";
import type { Passphrase } from "../passphrase.ts";
import { checkPrivateKey } from "../raw-key.ts";
import type { KeyDeriver } from "./key-derivation.ts";
import { parseKeyFile } from "./key-file.ts";
import { openKey, openKeyV1 } from "./sealed-key.ts";

/** Decrypted keys of one account. */
export interface PrivateKeys {
  readonly address: Address;
  /** UUID of the file. */
  readonly id: string;
  /** By role: 0 transaction, 1 account update, 2 fee payer. */
  readonly keyring: readonly (readonly Uint8Array[])[];
}

/**
 * Decrypts every key of a key file.
 * @throws WalletError `KEY_FILE`, `KEY_TEXT`, `WRONG_PASSPHRASE`, `KDF_LIMIT`, `KDF_BUSY`
 */
export async function decryptKeyFile(
  text: string,
  passphrase: Passphrase,
  deriver: KeyDeriver,
): Promise<PrivateKeys> {
  const { version, address, id, keyring: sealed } = parseKeyFile(text);
  const open = version === 1 ? openKeyV1 : openKey;
  const keyring: Uint8Array[][] = [];
  try {
    for (const role of sealed) {
      const keys: Uint8Array[] = [];
      keyring.push(keys);
      for (const key of role) {
        keys.push(await open(key, passphrase, deriver));
        checkPrivateKey(keys.at(-1) as Uint8Array);
      }
    }
  } catch (error) {
    wipe({ keyring });
    throw error;
  }
  return { address, id, keyring };
}

/** Overwrites the keys with zeros. */
export function wipe({ keyring }: Pick<PrivateKeys, "keyring">): void {
  for (const role of keyring) for (const key of role) key.fill(0);
}
