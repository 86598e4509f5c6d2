import { walletError } from "./errors.ts";
import type { Wallet } from "./wallet.ts";

/** Order of wallets and accounts: by URL, bytewise. */
export function byUrl(a: { readonly url: string }, b: { readonly url: string }): number {
  return a.url < b.url ? -1 : a.url > b.url ? 1 : 0;
}

/**
 * The wallet of a URL.
 * @throws WalletError `URL_SCHEME_MISSING` when the text is no URL, `UNKNOWN_WALLET`
 */
export function findWallet(wallets: readonly Wallet[], url: string): Wallet {
  const parts = url.split("://");
  if (parts.length !== 2 || parts[0] === "") throw walletError("URL_SCHEME_MISSING");
  const found = wallets.find((wallet) => wallet.url === url);
  if (found === undefined) throw walletError("UNKNOWN_WALLET");
  return found;
}
