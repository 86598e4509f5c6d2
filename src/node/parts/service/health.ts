import type { Thresholds } from "../../../platform/http/routes/probes.ts";
import { DEFAULT_CLUSTER } from "../../cluster/defaults.ts";
import { clusterObstacle } from "../../cluster/obstacle.ts";
import { failingDisk, healthOf, type NodeHealth } from "../../service/endpoints/health.ts";
import { cluster } from "../chain/cluster.ts";
import { consensus } from "../chain/consensus.ts";
import { ledger } from "../chain/ledger.ts";
import { peers } from "../chain/peers.ts";
import { pool } from "../chain/pool.ts";
import { sealing } from "../chain/sealing.ts";
import { instruments } from "../instruments.ts";
import { part } from "../part.ts";

/** Reports whether the node is fully functional. */
export const health = part({
  name: "health",
  needs: { cluster, consensus, instruments, ledger, peers, pool, sealing },
  start(
    { cluster, consensus, instruments, ledger, peers, pool, sealing },
    { isStopping, options: { cluster: { maxLag = DEFAULT_CLUSTER.maxLag } = {} } },
  ) {
    const disks = () => [ledger.own.health.now, pool.journalHealth, consensus.voteHealth.now];
    instruments.watchDisks(() => failingDisk(disks()) !== undefined);
    const offers = (thresholds: Thresholds = {}): NodeHealth => {
      const progress = peers.synchroniser?.progress();
      const facts = {
        disks: disks(),
        isStopping: isStopping(),
        sealingFailure: sealing.service?.failure,
        peers: Object.values(peers.status.peerCounts()).reduce((sum, count) => sum + count, 0),
        cluster: cluster && clusterObstacle(cluster.status, maxLag),
        lag: cluster?.isFed
          ? cluster.status.lag
          : progress === undefined
            ? 0
            : Math.max(0, Number(progress.highestBlock - progress.currentBlock)),
      };
      return healthOf(facts, thresholds);
    };
    return { offers };
  },
});
