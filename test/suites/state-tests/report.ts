/** Rows of one directory by outcome. */
export interface Tally {
  files: number;
  passed: number;
  failed: number;
}

/** Counts by directory. */
export class Report {
  readonly #byFolder: Map<string, Tally> = new Map();

  /** The tally of a directory; a new one holds zeros. */
  of(folder: string): Tally {
    const known = this.#byFolder.get(folder);
    if (known) return known;
    const made = { files: 0, passed: 0, failed: 0 };
    this.#byFolder.set(folder, made);
    return made;
  }

  /** Sum over all directories. */
  get total(): Tally {
    const sum = { files: 0, passed: 0, failed: 0 };
    for (const tally of this.#byFolder.values()) {
      for (const key of ["files", "passed", "failed"] as const) sum[key] += tally[key];
    }
    return sum;
  }

  /** A Markdown table, a row for each directory and one for the sum. */
  table(): string {
    const rows = [...this.#byFolder].sort(([a], [b]) => (a < b ? -1 : 1));
    const line = (name: string, t: Tally) =>
      `| ${name} | ${t.files} | ${t.passed + t.failed} | ${t.passed} |`;
    return [
      "| directory | files | rows run | passed |",
      "| --- | ---: | ---: | ---: |",
      ...rows.map(([name, tally]) => line(name, tally)),
      line("**all**", this.total),
    ].join("\n");
  }
}
