import { call } from "./api.ts";

/** A wallet as `personal_listWallets` shows it. */
export interface WalletJson {
  readonly url: string;
  readonly status: string;
  readonly failure?: string;
  readonly accounts?: readonly { readonly address: string; readonly url: string }[];
}

/** How long a page unlocks a key that it needs once. */
const UNLOCK_SECONDS = 60;

/** Addresses whose keys the node holds; none for a page without a session. */
export async function ownAccounts(): Promise<readonly string[]> {
  return call<readonly string[]>("kaia_accounts").catch(() => []);
}

/** Unlocks an account briefly; does nothing without a passphrase. @throws Error if it is wrong */
export async function unlockWith(address: string, passphrase: string): Promise<void> {
  if (passphrase === "") return;
  const isUnlocked = await call<boolean>("personal_unlockAccount", [address, passphrase, UNLOCK_SECONDS]);
  if (!isUnlocked)
    throw new Error(
      "The passphrase is wrong, or this node does not let a page unlock accounts; its log says which.",
    );
}
