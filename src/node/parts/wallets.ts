import { openWallets } from "../keys/open-wallets.ts";
import { development } from "./development.ts";
import { ledger } from "./ledger.ts";
import { part } from "./part.ts";

/** The key store with what the options add to it, and the same as methods of RPC see it. */
export const wallets = part({
  name: "wallets",
  needs: { development, ledger },
  async start({ development, ledger }, { options }) {
    const keystore = await openWallets(options, development?.accountKeys ?? [], ledger.chain);
    return {
      offers: { keystore, served: development?.wallets(keystore) ?? keystore },
      stop: () => keystore.close(),
    };
  },
});
