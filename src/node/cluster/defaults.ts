import type { ClusterOptions } from "../node-options.ts";

/** Settings of a node with a change log, where no others are given. */
export const DEFAULT_CLUSTER = {
  durability: "local",
  maxBehind: 512,
  leaseMs: 5_000,
  snapshotEvery: 100_000,
  retain: 0,
  maxLag: 16,
} as const satisfies Partial<ClusterOptions>;
