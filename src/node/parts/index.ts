import { changeLog } from "./chain/change-log.ts";
import { cluster } from "./chain/cluster.ts";
import { ledger } from "./chain/ledger.ts";
import { peers } from "./chain/peers.ts";
import { clockWatch } from "./clock-watch.ts";
import { feePayer } from "./dev/fee-payer.ts";
import { forkNote } from "./dev/other-chain.ts";
import { development } from "./development.ts";
import { activity } from "./service/activity.ts";
import { artifacts } from "./service/artifacts.ts";
import { dashboard } from "./service/dashboard.ts";
import { health } from "./service/health.ts";
import { lastResponses } from "./service/last-responses.ts";
import { listeners } from "./service/listeners.ts";
import { metrics } from "./service/metrics.ts";
import { rpc } from "./service/rpc.ts";
import { streaming } from "./service/streaming.ts";
import { wallets } from "./wallets.ts";

/** The parts that make up a node; every other part is started because one of these needs it. */
export const NODE = {
  ...{ activity, artifacts, clockWatch, development, ledger, forkNote, wallets, health, rpc, listeners },
  ...{ changeLog, cluster, lastResponses, metrics, feePayer, peers, dashboard, streaming },
};
