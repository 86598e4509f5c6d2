import type { KeyValueStore } from "./store.ts";

/** How to open one engine. */
export interface Engine {
  /** Whether rows outlive the process; if so a log stands in front of the engine. */
  readonly persistent: boolean;
  /**
   * Opens the engine's files in `directory`, which exists; loads its code only now.
   * @param isReadOnly - writes nothing: no lock is taken, an earlier version refused
   */
  open(directory: string, isReadOnly?: boolean): Promise<KeyValueStore>;
  /** Path of the file that `open` keeps rows in. */
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
      (await import("./lmdb/checkable-store.ts")).openCheckableStore(directory, isReadOnly),
    file: (directory) => `${directory}/store.mdb`,
  },
} as const satisfies Record<string, Engine>;

/** Name of a database engine. */
export type EngineName = keyof typeof engines;
