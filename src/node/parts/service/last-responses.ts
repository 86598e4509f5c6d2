import { sealing } from "../chain/sealing.ts";
import { development } from "../development.ts";
import { part } from "../part.ts";
import { listeners } from "./listeners.ts";

/**
 * Starts nothing. As it needs the listeners it stops before them: callers who wait for a block, or for another chain's
 * node, get their response while they are still connected.
 */
export const lastResponses = part({
  name: "last responses",
  needs: { development, listeners, sealing },
  start: ({ development, sealing }) => ({
    offers: undefined,
    async stop() {
      development?.stopReading();
      await sealing.stop();
    },
  }),
});
