import type { KeyValueStore } from "./store.ts";

/** How to open one engine. */
export interface Engine {
  /** Whether rows outlive the process; if so, the engine has a write-ahead log. */
  readonly persistent: boolean;
  /**
   * Opens the engine's files in `directory`, which must exist; its code is loaded only now.
   * @param isReadOnly - nothing is written: no lock is taken, and a file that needs migrating is refused
   */
  open(directory: string, isReadOnly?: boolean): Promise<KeyValueStore>;
  /** Path of the file that holds the rows. */
  file(directory: string): string;
}

/** The engines a node can keep its data in, by the name used in its options. */
export const engines = {
  memory: {
    persistent: false,
    open: async () => (await import("./memory/memory-store.ts")).createMemoryStore(),
    file: () => "",
  },
  lmdb: {
    persistent: true,
    open: async (directory, isReadOnly) =>
      (await import("./lmdb/checksummed-store.ts")).openChecksummedStore(directory, isReadOnly),
    file: (directory) => `${directory}/store.mdb`,
  },
} as const satisfies Record<string, Engine>;

/** Name of a database engine. */
export type EngineName = keyof typeof engines;
