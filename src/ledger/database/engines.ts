import type { KeyValueStore } from "./store.ts";

/** How to open one engine. */
export interface Engine {
  /** Whether rows outlive the process; if so a log stands in front of the engine. */
  readonly persistent: boolean;
  /** Opens the engine's files in `directory`, which exists; loads its code only now. */
  open(directory: string): Promise<KeyValueStore>;
}

/** The engines a node can keep its data in, by the name used in its options. */
export const engines = {
  memory: {
    persistent: false,
    open: async () => (await import("./memory/memory-store.ts")).createMemoryStore(),
  },
  lmdb: {
    persistent: true,
    open: async (directory) => (await import("./lmdb/lmdb-store.ts")).openLmdbStore(directory),
  },
} as const satisfies Record<string, Engine>;

export type EngineName = keyof typeof engines;
