import { systemRuntime } from "../../platform/runtime/system.ts";
import { openWallets } from "../keys/open-wallets.ts";
import type { NodeOptions } from "../node-options.ts";
import { createKeyDerivations } from "../workers/key-derivations.ts";
import { ledger } from "./chain/ledger.ts";
import { development } from "./development.ts";
import { part } from "./part.ts";

function isFollower({ cluster }: NodeOptions): boolean {
  return cluster?.role === "follower";
}

/** A follower holds no keys, whatever its folder has. */
function withoutKeys({
  keystoreDir: _,
  signer: __,
  usb: ___,
  dataDir: ____,
  ...options
}: NodeOptions): NodeOptions {
  return options;
}

/** The keystore with what the options add to it, and the same as methods of RPC see it. */
export const wallets = part({
  name: "wallets",
  needs: { development, ledger },
  async start({ development, ledger }, { options }) {
    const { randomness } = options.runtime ?? systemRuntime;
    const derivations = createKeyDerivations(randomness);
    const keys = development?.accountKeys ?? [];
    const keystore = await openWallets(
      isFollower(options) ? withoutKeys(options) : options,
      keys,
      ledger.chain,
      derivations.derive,
    );
    return {
      offers: { keystore, served: development?.wallets(keystore) ?? keystore },
      stop: () => {
        derivations.close();
        return keystore.close();
      },
    };
  },
});
