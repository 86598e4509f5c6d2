import type { NodeOptions } from "../../node/node-options.ts";
import type { NodeSettings } from "../../node/options/index.ts";
import { checkUnlockAtStart } from "../../node/service/endpoints/exposure.ts";
import { ConfigError } from "../../platform/config/types.ts";
import { readBoundedText, SMALL_FILE_BYTES } from "../../platform/runtime/read-bounded.ts";
import { Passphrase } from "../../wallet/passphrase.ts";
import type { Keystore } from "../../wallet/wallet.ts";
import { accountOf } from "../account-argument.ts";
import { askSecret } from "../prompt.ts";

/**
 * Unlocks the accounts of `--unlock` until the node ends. Passphrases are read or prompted for before it starts: one
 * line of the file for each account, the last line for the rest.
 * @throws ExposureError when other machines could reach the accounts, ConfigError when the file cannot be read; the
 * result throws it for an unknown account or a wrong passphrase
 */
export async function prepareUnlock(
  { unlock: accounts, passwordFile }: Pick<NodeSettings, "unlock" | "passwordFile">,
  options: NodeOptions,
): Promise<(wallets: Keystore) => Promise<void>> {
  if (accounts.length === 0) return async () => undefined;
  await checkUnlockAtStart(options);
  const passphrases = passwordFile === undefined ? await ask(accounts) : readPassphrases(passwordFile);
  return async (wallets) => {
    for (const [i, text] of accounts.entries())
      await unlock(text, passphrases[Math.min(i, passphrases.length - 1)] ?? "", wallets);
  };
}

async function unlock(text: string, passphrase: string, wallets: Keystore): Promise<void> {
  const account = accountOf(text, wallets.accounts(), "--unlock");
  const secret = new Passphrase(passphrase);
  try {
    await wallets.unlock(account, secret, 0);
  } catch (cause) {
    throw new ConfigError("CONFIG_VALUE", `--unlock ${text}: ${(cause as Error).message}`, {}, { cause });
  } finally {
    secret.wipe();
  }
}

async function ask(accounts: readonly string[]): Promise<readonly string[]> {
  const passphrases: string[] = [];
  for (const account of accounts) passphrases.push(await askSecret(`Passphrase to unlock ${account}: `));
  return passphrases;
}

/** The lines of a file of passphrases. @throws ConfigError when it cannot be read */
export function readPassphrases(file: string): string[] {
  try {
    return readBoundedText(file, { maxBytes: SMALL_FILE_BYTES })
      .split("\n")
      .map((line) => line.replace(/\r$/, ""));
  } catch (cause) {
    throw new ConfigError("CONFIG_FILE", `--password: ${(cause as Error).message}`);
  }
}
