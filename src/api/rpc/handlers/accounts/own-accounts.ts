import type { PrefixName } from "../../../../wallet/signed-message.ts";
import type { WalletManager } from "../../../../wallet/wallet.ts";
import type { ownAccounts } from "../../spec/chain/state.ts";
import type { Handlers } from "../../spec/method.ts";

/** Accounts whose keys this node holds. */
export function ownAccountHandlers(
  wallets: WalletManager,
  messageName: PrefixName,
): Handlers<typeof ownAccounts> {
  return {
    accounts: () => wallets.accounts().map(({ address }) => address),
    sign: ({ address, message }) => wallets.signText(address, { text: message, name: messageName }),
  };
}
