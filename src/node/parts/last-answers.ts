import { development } from "./development.ts";
import { endpoints } from "./endpoints.ts";
import { part } from "./part.ts";
import { sealing } from "./sealing.ts";

/**
 * Has nothing to start. As it needs the endpoints it stops before them: callers who wait for a block, or for another chain's
 * node, get their answer while they are still connected.
 */
export const lastAnswers = part({
  name: "last answers",
  needs: { development, endpoints, sealing },
  start: ({ development, sealing }) => ({
    offers: undefined,
    async stop() {
      development?.stopReading();
      await sealing.stop();
    },
  }),
});
