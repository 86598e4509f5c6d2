import type { Thresholds } from "../../../platform/http/probes.ts";
import { healthOf, type NodeHealth } from "../../endpoints/health.ts";
import { ledger } from "../chain/ledger.ts";
import { peers } from "../chain/peers.ts";
import { sealing } from "../chain/sealing.ts";
import { part } from "../part.ts";

/** Reports whether the node is fully functional. */
export const health = part({
  name: "health",
  needs: { ledger, peers, sealing },
  start: ({ ledger, peers, sealing }, { isStopping }) => ({
    offers(thresholds: Thresholds = {}): NodeHealth {
      const progress = peers.synchroniser?.progress();
      const facts = {
        disk: ledger.own.health.now,
        isStopping: isStopping(),
        sealingFailure: sealing.service?.failure,
        peers: Object.values(peers.status.peerCounts()).reduce((sum, count) => sum + count, 0),
        lag: progress === undefined ? 0 : Math.max(0, Number(progress.highestBlock - progress.currentBlock)),
      };
      return healthOf(facts, thresholds);
    },
  }),
});
