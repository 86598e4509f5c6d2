import type { MessageName } from "../../../wallet/signed-message.ts";
import type { WalletManager } from "../../../wallet/wallet.ts";
import type { Handlers } from "../method.ts";
import type { ownAccounts } from "../spec/state.ts";
import { messageSignature } from "./signed-message.ts";

/** Accounts whose keys this node holds. */
export function ownAccountHandlers(
  wallets: WalletManager,
  messageName: MessageName,
): Handlers<typeof ownAccounts> {
  return {
    accounts: () => wallets.accounts().map(({ address }) => address),
    sign: async ({ address, message }) =>
      messageSignature(await wallets.signText(address, { text: message, name: messageName })),
  };
}
