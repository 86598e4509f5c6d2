import { ledger } from "../chain/ledger.ts";
import { development } from "../development.ts";
import { part } from "../part.ts";
import { budget } from "../service/budget.ts";
import { rpc } from "../service/rpc.ts";
import { wallets } from "../wallets.ts";

/** The fee payer service of a development chain, if configured. */
export const feePayer = part({
  name: "fee payer",
  needs: { budget, development, ledger, rpc, wallets },
  async start({ budget, development, ledger, rpc, wallets }, { options }) {
    if (options.feePayer === undefined) return { offers: undefined };
    const { openFeePayer } = await import("../../dev/fee-payer/open-fee-payer.ts");
    const offers = await openFeePayer({
      ...{ options, ledger, budget, request: rpc.provider.request },
      setup: development?.setup,
      wallets: wallets.served,
    });
    return { offers, stop: () => offers.close() };
  },
});
