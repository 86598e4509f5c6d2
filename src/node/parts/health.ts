import { healthOf, type NodeHealth } from "../endpoints/health.ts";
import { ledger } from "./ledger.ts";
import { part } from "./part.ts";
import { sealing } from "./sealing.ts";

/** Tells whether the node can do all it is there for. */
export const health = part({
  name: "health",
  needs: { ledger, sealing },
  start: ({ ledger, sealing }, { isStopping }) => ({
    offers: (): NodeHealth =>
      healthOf({
        disk: ledger.own.health.now,
        isStopping: isStopping(),
        sealingFailure: sealing.service?.failure,
      }),
  }),
});
