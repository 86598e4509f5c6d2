import { ConfigError } from "../platform/config/types.ts";
import { bytesToHex, hexToBytes } from "../protocol/primitives/hex.ts";
import type { AccountRef, WalletAccount } from "../wallet/wallet.ts";

/**
 * An account by its address or its place in the list, which tells key files of one address apart.
 * @param where - what the text was given for: `--unlock`
 * @throws ConfigError `CONFIG_VALUE` naming the accounts there are
 */
export function accountOf(text: string, accounts: readonly WalletAccount[], where: string): AccountRef {
  if (/^(0x)?[0-9a-fA-F]{40}$/.test(text)) return hexToBytes(`0x${text.replace(/^0x/, "")}`);
  const account = /^[0-9]+$/.test(text) ? accounts[Number(text)] : undefined;
  if (account !== undefined) return account;
  const known = accounts.map(({ address }) => bytesToHex(address)).join(", ") || "none";
  throw new ConfigError("CONFIG_VALUE", `${where}: no account ${text} (keystore: ${known})`);
}
