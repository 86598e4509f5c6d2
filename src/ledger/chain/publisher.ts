import type { ExecutedBlock } from "./chain.ts";
import { ChainError } from "./errors.ts";

interface Waiting {
  readonly executed: ExecutedBlock;
  isDurable: boolean;
}

/**
 * Makes committed blocks public in order, each once its record is on disk. Blocks that reach the disk together are
 * published together.
 */
export class Publisher {
  readonly #publish: (blocks: readonly ExecutedBlock[]) => void;
  #waiting: Waiting[] = [];
  #idle: {
    readonly reached: () => boolean;
    readonly resolve: () => void;
    readonly reject: (e: unknown) => void;
  }[] = [];
  #failure: unknown;

  /** @param publish - called with at least one block, oldest first */
  constructor(publish: (blocks: readonly ExecutedBlock[]) => void) {
    this.#publish = publish;
  }

  /** Number of blocks that are committed but not public. */
  get backlog(): number {
    return this.#waiting.length;
  }

  /** Publishes `executed` when `durable` resolves and every block before it is public. */
  add(executed: ExecutedBlock, durable: Promise<void>): void {
    this.check();
    const waiting: Waiting = { executed, isDurable: false };
    this.#waiting.push(waiting);
    durable.then(
      () => {
        waiting.isDurable = true;
        this.#flush();
      },
      (cause: unknown) => this.#fail(cause),
    );
  }

  /** Forgets the blocks above `number` that are not public yet. */
  dropAbove(number: bigint): void {
    this.#waiting = this.#waiting.filter(({ executed }) => executed.block.header.number <= number);
  }

  /** Resolves once at most `backlog` blocks wait. @throws ChainError `CLOSED` when the disk failed */
  async until(backlog: number): Promise<void> {
    this.check();
    if (this.#waiting.length <= backlog) return;
    await new Promise<void>((resolve, reject) => {
      this.#idle.push({ reached: () => this.#waiting.length <= backlog, resolve, reject });
    });
  }

  /** @throws ChainError `CLOSED` when a block could not be written: nothing may follow it */
  check(): void {
    if (this.#failure === undefined) return;
    throw new ChainError("CLOSED", "the database failed; restart the node", {}, { cause: this.#failure });
  }

  #flush(): void {
    const held = this.#waiting.findIndex(({ isDurable }) => !isDurable);
    const ready = this.#waiting.splice(0, held === -1 ? this.#waiting.length : held);
    if (ready.length > 0) this.#publish(ready.map(({ executed }) => executed));
    this.#idle = this.#idle.filter(({ reached, resolve }) => {
      if (!reached()) return true;
      resolve();
      return false;
    });
  }

  #fail(cause: unknown): void {
    this.#failure ??= cause;
    for (const { reject } of this.#idle.splice(0)) {
      reject(new ChainError("CLOSED", "the database failed; restart the node", {}, { cause }));
    }
  }
}
