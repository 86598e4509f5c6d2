/** Entries of the log that become one record. */
export class RecordGroup {
  /** Resolves when all of them are on disk. */
  readonly durable: Promise<void>;
  readonly #entries: Uint8Array[] = [];
  #settle: (recorded: Promise<void>) => void = () => {};

  constructor() {
    this.durable = new Promise((resolve) => {
      this.#settle = resolve;
    });
    this.durable.catch(() => {}); // whoever waits for an entry hears of a failure; nobody may
  }

  /** Takes an entry in. */
  add(entry: Uint8Array): Promise<void> {
    this.#entries.push(entry);
    return this.durable;
  }

  /** Hands the entries to `record`, unless there are none. */
  end(record: (entries: readonly Uint8Array[]) => Promise<void>): void {
    this.#settle(this.#entries.length === 0 ? Promise.resolve() : record(this.#entries));
  }
}
