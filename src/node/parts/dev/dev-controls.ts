import { createDevControls } from "../../dev/dev-controls.ts";
import { consensus } from "../chain/consensus.ts";
import { ledger } from "../chain/ledger.ts";
import { pool } from "../chain/pool.ts";
import { sealing } from "../chain/sealing.ts";
import { development } from "../development.ts";
import { part } from "../part.ts";
import { budget } from "../service/budget.ts";
import { wallets } from "../wallets.ts";

/** The controls of a development chain, if this node seals its blocks. */
export const devControls = part({
  name: "development controls",
  needs: { budget, consensus, development, ledger, pool, sealing, wallets },
  start({ budget, consensus, development, ledger, pool, sealing, wallets }, { runtime }) {
    if (development === undefined || sealing.service === undefined) return { offers: undefined };
    const { rules, forking, setup } = development;
    const offers = createDevControls({
      ...{ rules, forking, ledger, pool, start: setup },
      ...{ sealing: sealing.service, clock: consensus.clock, wallets: wallets.served },
      randomness: runtime.randomness,
      pace: budget.slice,
    });
    return { offers };
  },
});
