import { watchClock } from "../instruments/clock-watch.ts";
import { part } from "./part.ts";

/** Warns when the machine's clock was set. */
export const clockWatch = part({
  name: "clock watch",
  needs: {},
  start: (_, { runtime, logger }) => ({ offers: undefined, stop: watchClock(runtime, logger) }),
});
