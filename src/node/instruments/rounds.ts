import type { RoundWatch } from "../../network/consensus/istanbul/engine/round-watch.ts";
import type { Metrics } from "../../platform/telemetry/metrics.ts";

/** Counts the rounds of a validator. */
export function watchRounds(metrics: Metrics): RoundWatch {
  let round = 0;
  metrics.gauge("consensus/istanbul/engine/round", () => round);
  const decided = metrics.counter("consensus/istanbul/engine/decided");
  const changed = metrics.counter("consensus/istanbul/engine/roundChanges");
  const timedOut = metrics.counter("consensus/istanbul/engine/timeouts");
  const refused = metrics.counter("consensus/istanbul/engine/refusedProposals");
  return {
    began(at) {
      round = at.round;
      if (round > 0) changed.add();
    },
    decided: () => decided.add(),
    timedOut: () => timedOut.add(),
    refused: () => refused.add(),
  };
}
