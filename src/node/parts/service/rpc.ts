import type { TransactionPool } from "../../../ledger/txpool/pool.ts";
import type { Timers } from "../../../platform/runtime/runtime.ts";
import type { Cluster } from "../../cluster/cluster.ts";
import { createNodeRpc } from "../../service/endpoints/node-rpc.ts";
import { cluster } from "../chain/cluster.ts";
import { gasless } from "../chain/gasless.ts";
import { ledger } from "../chain/ledger.ts";
import { peers } from "../chain/peers.ts";
import { pool } from "../chain/pool.ts";
import { sealing } from "../chain/sealing.ts";
import { threads } from "../chain/threads.ts";
import { devControls } from "../dev/dev-controls.ts";
import { otherChain } from "../dev/other-chain.ts";
import { stateFile } from "../dev/state-file.ts";
import { development } from "../development.ts";
import { instruments } from "../instruments.ts";
import { part } from "../part.ts";
import { wallets } from "../wallets.ts";
import { activity } from "./activity.ts";
import { artifacts } from "./artifacts.ts";
import { budget } from "./budget.ts";
import { health } from "./health.ts";
import { ioProcesses } from "./io-processes.ts";
import { sqlTables } from "./sql-tables.ts";
import { stream } from "./stream.ts";

/** The methods of JSON-RPC, as a provider within the process. */
export const rpc = part({
  name: "rpc",
  needs: {
    ...{ activity, artifacts, budget, cluster, devControls, development, gasless, health, instruments },
    ...{
      ioProcesses,
      ledger,
      otherChain,
      peers,
      pool,
      sealing,
      sqlTables,
      stateFile,
      stream,
      threads,
      wallets,
    },
  },
  async start(given, { options, logger, runtime }) {
    const { budget, devControls, development, gasless, health, instruments, ledger, sealing } = given;
    const { keystore } = given.wallets;
    instruments.watchKeys(
      () => keystore.accounts().filter(({ address }) => keystore.isUnlocked(address)).length,
    );
    const forwarding = given.cluster?.isFed
      ? await forwardTransactions(given.pool, given.cluster, runtime.timers)
      : undefined;
    const pool = forwarding?.pool ?? given.pool;
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
      takeSocket: given.ioProcesses?.take,
      artifacts: given.artifacts,
      stream: given.stream,
      wideLogs: given.sqlTables?.wideLogs,
      mayChange: given.cluster && (() => given.cluster?.checkWriter()),
    });
    const stop = () => {
      forwarding?.close();
      return offers.close();
    };
    return { offers, stop };
  },
});

/** A pool that forwards transactions to the writer. */
async function forwardTransactions(
  own: TransactionPool,
  cluster: Pick<Cluster, "writerUrl">,
  timers: Timers,
): Promise<{ readonly pool: TransactionPool; close(): void }> {
  const [{ createHttpClient }, { ForwardingPool }, { checkWriterAddress }] = await Promise.all([
    import("../../../platform/intake/http-client.ts"),
    import("../../cluster/forwarding-pool.ts"),
    import("../../cluster/own-url.ts"),
  ]);
  const client = createHttpClient({
    timers,
    connections: 32,
    keepAlive: true,
    checkAddress: checkWriterAddress,
  });
  return { pool: new ForwardingPool(own, client, () => cluster.writerUrl), close: () => client.close() };
}
