import { openFeePayer } from "../dev/fee-payer/open-fee-payer.ts";
import { budget } from "./budget.ts";
import { development } from "./development.ts";
import { endpoints } from "./endpoints.ts";
import { ledger } from "./ledger.ts";
import { part } from "./part.ts";
import { wallets } from "./wallets.ts";

/** The fee payer service of a development chain, where one is wanted. */
export const feePayer = part({
  name: "fee payer",
  needs: { budget, development, endpoints, ledger, wallets },
  async start({ budget, development, endpoints, ledger, wallets }, { options }) {
    if (options.feePayer === undefined) return { offers: undefined };
    const offers = await openFeePayer({
      ...{ options, ledger, endpoints, budget },
      setup: development?.setup,
      wallets: wallets.served,
    });
    return { offers, stop: () => offers.close() };
  },
});
