import { StreamError } from "../../../api/stream/errors.ts";
import { cluster } from "../chain/cluster.ts";
import { ledger } from "../chain/ledger.ts";
import { instruments } from "../instruments.ts";
import { part } from "../part.ts";
import { budget } from "./budget.ts";

/** The event stream, if configured; `streaming` starts it. */
export const stream = part({
  name: "stream",
  // With a change log the chain may have unannounced blocks; once `cluster` has started there are none.
  needs: { budget, cluster, instruments, ledger },
  async start({ budget, instruments, ledger }, { options, runtime, logger }) {
    const { eventStream, dataDir, allowCleartextPasswords } = options;
    if (eventStream === undefined) return { offers: undefined };
    if (options.fork !== undefined)
      throw new StreamError(
        "OPTION",
        "--chaindatafetcher and --fork-url do not go together: the first blocks are another node's",
      );
    const { openStream } = await import("../../service/stream/open-stream.ts");
    const { slice } = budget;
    const offers = openStream({
      ...{ options: eventStream, allowCleartextPasswords, dataDir, runtime, ledger },
      pace: { isDue: () => slice.isDue(), yield: () => slice.yield("reads") },
      metrics: instruments.metrics,
      logger: logger.child("stream"),
    });
    return { offers };
  },
});
