interface Reader {
  resolve(report: Uint8Array): void;
  reject(error: Error): void;
}

/** Queue of reports from a device to its reader. */
export class ReportQueue {
  readonly #reports: Uint8Array[] = [];
  #reader: Reader | undefined;
  #end: Error | undefined;

  push(report: Uint8Array): void {
    this.#reports.push(report);
    this.#serve();
  }

  /** No more reports come; queued ones are dropped. Only the first reason counts. */
  end(reason: Error): void {
    this.#end ??= reason;
    this.#reports.length = 0;
    this.#serve();
  }

  /** The next report; one reader at a time. @throws the reason given to `end` */
  next(): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
      this.#serve();
    });
  }

  #serve(): void {
    const reader = this.#reader;
    if (reader === undefined) return;
    const report = this.#reports.shift();
    if (report === undefined && this.#end === undefined) return;
    this.#reader = undefined;
    if (report !== undefined) reader.resolve(report);
    else reader.reject(this.#end as Error);
  }
}
