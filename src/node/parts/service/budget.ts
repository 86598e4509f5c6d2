import { createNodeBudget } from "../../service/endpoints/budget.ts";
import { instruments } from "../instruments.ts";
import { part } from "../part.ts";

/** Limits shared by the clients of all listeners. */
export const budget = part({
  name: "budget",
  needs: { instruments },
  start({ instruments }, { options }) {
    const offers = createNodeBudget(options.sharedLimits);
    instruments.watchClients(offers);
    return { offers };
  },
});
