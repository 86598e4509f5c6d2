import { createNodeRpc } from "../endpoints/node-rpc.ts";
import { activity } from "./activity.ts";
import { artifacts } from "./artifacts.ts";
import { budget } from "./budget.ts";
import { devControls } from "./dev-controls.ts";
import { development } from "./development.ts";
import { gasless } from "./gasless.ts";
import { health } from "./health.ts";
import { instruments } from "./instruments.ts";
import { ledger } from "./ledger.ts";
import { otherChain } from "./other-chain.ts";
import { part } from "./part.ts";
import { peers } from "./peers.ts";
import { pool } from "./pool.ts";
import { sealing } from "./sealing.ts";
import { stateFile } from "./state-file.ts";
import { threads } from "./threads.ts";
import { wallets } from "./wallets.ts";

/** The methods of JSON-RPC, as a provider within the process. */
export const rpc = part({
  name: "rpc",
  needs: {
    ...{ activity, artifacts, budget, devControls, development, gasless, health, instruments, ledger, peers },
    ...{ otherChain, pool, sealing, stateFile, threads, wallets },
  },
  start(given, { options, logger }) {
    const { budget, devControls, development, gasless, health, instruments, ledger, pool, sealing } = given;
    const offers = createNodeRpc({
      ...{ options, logger, budget, gasless, health, instruments, ledger, pool },
      threads: given.threads,
      pending: sealing.pending,
      miner: sealing.miner,
      wallets: given.wallets.served,
      controls: devControls,
      departures: development,
      hasDevelopmentKeys: (development?.accountKeys.length ?? 0) > 0,
      peers: given.peers,
      observer: given.activity.calls,
      artifacts: given.artifacts,
    });
    return { offers, stop: () => offers.close() };
  },
});
