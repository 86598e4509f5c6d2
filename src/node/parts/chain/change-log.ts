import { development } from "../development.ts";
import { part } from "../part.ts";

/** The change log that this node shares with others; undefined without one. A new follower's folder is filled here. */
export const changeLog = part({
  name: "change log",
  needs: { development },
  async start(_, { options, runtime, logger }) {
    const { cluster, dataDir } = options;
    if (cluster === undefined) return { offers: undefined };
    const { createSharedLog } = await import("../../cluster/shared-log.ts");
    const log = logger.child("cluster");
    const shared = createSharedLog({ ...options, cluster }, runtime, log);
    const { role } = shared.settings;
    // A follower's blocks come from the log alone.
    const isFed = role === "follower" || role === "standby";
    try {
      const { bootstrap } = await import("../../cluster/bootstrap.ts");
      const snapshot = isFed ? await bootstrap(shared, dataDir, log) : undefined;
      return { offers: { ...shared, isFed, snapshot }, stop: () => shared.close() };
    } catch (error) {
      await shared.close();
      throw error;
    }
  },
});
