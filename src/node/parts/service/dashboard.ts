import { ledger } from "../chain/ledger.ts";
import { peers } from "../chain/peers.ts";
import { pool } from "../chain/pool.ts";
import { feePayer } from "../dev/fee-payer.ts";
import { development } from "../development.ts";
import { instruments } from "../instruments.ts";
import { part } from "../part.ts";
import { wallets } from "../wallets.ts";
import { activity } from "./activity.ts";
import { artifacts } from "./artifacts.ts";
import { listeners } from "./listeners.ts";
import { rpc } from "./rpc.ts";

/** The dashboard, if enabled; opened last, as it shows where everything else listens. */
export const dashboard = part({
  name: "dashboard",
  needs: {
    activity,
    artifacts,
    development,
    feePayer,
    instruments,
    ledger,
    listeners,
    peers,
    pool,
    rpc,
    wallets,
  },
  async start(given, { options, runtime, logger, recentLog }) {
    if (!options.dashboard || recentLog === undefined) return { offers: undefined };
    const { openDashboard } = await import("../../service/dashboard/open-dashboard.ts");
    const offers = await openDashboard({
      ...given,
      options,
      runtime,
      log: recentLog,
      logger: logger.child("dashboard"),
    });
    given.rpc.serveLinks(offers.link);
    return { offers, stop: () => offers.close() };
  },
});
