import { Activity } from "../../service/activity/activity.ts";
import { ledger } from "../chain/ledger.ts";
import { part } from "../part.ts";

/** Reports what the node does to its watchers. */
export const activity = part({
  name: "activity",
  needs: { ledger },
  start: ({ ledger }, { logger }) => ({ offers: new Activity(ledger.chain, logger) }),
});
