import { activity } from "./activity.ts";
import { artifacts } from "./artifacts.ts";
import { clockWatch } from "./clock-watch.ts";
import { development } from "./development.ts";
import { feePayer } from "./fee-payer.ts";
import { health } from "./health.ts";
import { lastAnswers } from "./last-answers.ts";
import { ledger } from "./ledger.ts";
import { listeners } from "./listeners.ts";
import { metrics } from "./metrics.ts";
import { forkNote } from "./other-chain.ts";
import { peers } from "./peers.ts";
import { rpc } from "./rpc.ts";
import { wallets } from "./wallets.ts";

/** What a node is asked for from outside; every other part is started because one of these needs it. */
export const NODE = {
  ...{ activity, artifacts, clockWatch, development, ledger, forkNote, wallets, health, rpc, listeners },
  ...{ lastAnswers, metrics, feePayer, peers },
};
