import { type Development, openDevelopment } from "../dev/development.ts";
import { part } from "./part.ts";

/** What a development chain changes in the other parts; undefined on any other chain. Stops last, as chains are read through it. */
export const development = part({
  name: "development",
  needs: {},
  async start(_, { options, runtime, logger }) {
    const offers: Development | undefined = await openDevelopment(options, { runtime, logger });
    return { offers, stop: () => offers?.close() };
  },
});
