import type { Node } from "../../node/create-node.ts";
import type { NodeSettings } from "../../node/options/index.ts";
import type { Terminal } from "../command.ts";
import { createProgressLine, type ProgressLine, type ProgressOutput } from "./progress.ts";

/** Blocks behind others from which synchronisation is shown: fewer are normal operation. */
const FAR_BEHIND = 64n;

/** Where synchronisation is shown, and the settings that decide whether. */
export type SyncLineOutput = Pick<Terminal, "env" | "stderr"> & {
  readonly values: Pick<NodeSettings, "logFormat"> & { readonly quiet: boolean };
};

/** The progress line of synchronisation. */
export class SyncLine {
  readonly #output: ProgressOutput;
  readonly #now: (() => number) | undefined;
  #line: ProgressLine | undefined;
  /** Block at which the line was created; another peer may continue where one was lost. */
  #first = 0n;

  /**
   * Shows nothing if quiet, or if log lines are JSON for a program.
   * @param now - milliseconds of a clock
   */
  constructor({ env, stderr, values }: SyncLineOutput, now?: () => number) {
    this.#output = { env, stderr, isQuiet: values.quiet || values.logFormat === "json" };
    this.#now = now;
  }

  /** @param progress - undefined while nothing is downloaded */
  update(progress: ReturnType<Node["syncing"]>): void {
    if (progress === undefined || progress.currentBlock >= progress.highestBlock) {
      this.clear();
      this.#line = undefined;
      return;
    }
    const { currentBlock, highestBlock } = progress;
    if (this.#line === undefined) {
      if (highestBlock - currentBlock < FAR_BEHIND) return;
      this.#line = createProgressLine(this.#output, this.#now);
      this.#first = currentBlock;
    }
    const done = Number(currentBlock - this.#first);
    this.#line.update(
      done / Number(highestBlock - this.#first),
      (rate) => `synchronising, block ${currentBlock} of ${highestBlock}, ${rate(done)} blocks/s`,
    );
  }

  /** Clears the line in a terminal, so that other text can be written. */
  clear(): void {
    this.#line?.clear();
  }
}
