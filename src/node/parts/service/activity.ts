import { Activity } from "../../activity/activity.ts";
import { ledger } from "../chain/ledger.ts";
import { part } from "../part.ts";

/** Tells what the node does to whoever watches. */
export const activity = part({
  name: "activity",
  needs: { ledger },
  start: ({ ledger }, { logger }) => ({ offers: new Activity(ledger.chain, logger) }),
});
