import type { Node } from "../../node/create-node.ts";
import type { NodeSettings } from "../../node/options/index.ts";
import type { Terminal } from "../command.ts";
import { createProgressLine, type ProgressLine, type ProgressOutput } from "./progress.ts";

/** Blocks behind the others from which a synchronisation is shown: fewer are the daily news of a node. */
const FAR_BEHIND = 64n;

/** Where a synchronisation is shown, and the settings that say whether. */
export type SyncLineOutput = Pick<Terminal, "env" | "stderr"> & {
  readonly values: Pick<NodeSettings, "logFormat"> & { readonly quiet: boolean };
};

/** How far a node is with the blocks that others have. */
export class SyncLine {
  readonly #output: ProgressOutput;
  readonly #now: (() => number) | undefined;
  #line: ProgressLine | undefined;
  /** Block at which the line was made; another peer may go on where one was lost. */
  #first = 0n;

  /**
   * Nothing is shown where it is not wanted, or log lines are JSON for a program.
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

  /** Clears the line in a terminal, for what else is written there. */
  clear(): void {
    this.#line?.clear();
  }
}
