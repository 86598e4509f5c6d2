import { instruments } from "../instruments.ts";
import { part } from "../part.ts";
import { changeLog } from "./change-log.ts";
import { ledger } from "./ledger.ts";

/** Time limit for stopping: a writer first appends what its log lacks. */
const STOP_MS = 20_000;

/** This node's role beside the change log; undefined without one. */
export const cluster = part({
  name: "cluster",
  needs: { changeLog, instruments, ledger },
  stopMs: STOP_MS,
  async start({ changeLog, instruments, ledger }, { options, runtime, logger }) {
    if (changeLog === undefined) return { offers: undefined };
    const [{ confirmSnapshot }, { checkSnapshot }, { Cluster }, { ownUrlOf }] = await Promise.all([
      import("../../cluster/bootstrap.ts"),
      import("../../cluster/check-snapshot.ts"),
      import("../../cluster/cluster.ts"),
      import("../../cluster/own-url.ts"),
    ]);
    const { dataDir } = options;
    changeLog.attach(ledger.chain);
    if (changeLog.snapshot && dataDir !== undefined) {
      checkSnapshot(ledger, changeLog.snapshot);
      await confirmSnapshot(dataDir);
    }
    const log = logger.child("cluster");
    const parts = { ledger, dataDir, runtime, logger: log };
    const offers = new Cluster({ ...parts, shared: changeLog, ownUrl: ownUrlOf(options) });
    instruments.watchCluster(() => offers.status);
    try {
      await offers.start();
    } catch (error) {
      await offers.stop().catch(() => {}); // the first error says more
      throw error;
    }
    return { offers, stop: () => offers.stop() };
  },
});
