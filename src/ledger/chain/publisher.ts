import type { StateStore } from "../state/state.ts";
import type { ExecutedBlock } from "./chain.ts";
import type { CommitFeed } from "./commit-feed.ts";
import { ChainError } from "./errors.ts";

interface Waiting {
  readonly executed: ExecutedBlock;
  isDurable: boolean;
}

/**
 * Publishes committed blocks in order, each once its record is on disk. Blocks that reach the disk together are
 * published together.
 */
export class Publisher {
  readonly #publish: (blocks: readonly ExecutedBlock[]) => void;
  #waiting: Waiting[] = [];
  #idle: {
    readonly reached: () => boolean;
    readonly resolve: () => void;
  }[] = [];
  readonly #store: StateStore;
  readonly #feed: Pick<CommitFeed, "check" | "unlessFailing"> | undefined;

  /**
   * @param publish - called with at least one block, oldest first
   * @param feed - must have accepted the blocks as well
   */
  constructor(
    store: StateStore,
    publish: (blocks: readonly ExecutedBlock[]) => void,
    feed?: Pick<CommitFeed, "check" | "unlessFailing">,
  ) {
    this.#store = store;
    this.#publish = publish;
    this.#feed = feed;
  }

  /** Number of blocks that are committed but not yet public. */
  get backlog(): number {
    return this.#waiting.length;
  }

  /** Publishes `executed`, which is committed, when `durable` resolves and every block before it is public. Never throws. */
  add(executed: ExecutedBlock, durable: Promise<unknown>): void {
    const waiting: Waiting = { executed, isDurable: false };
    this.#waiting.push(waiting);
    // Writes to a failing disk are retried; those it never accepts are lost when this process ends.
    durable.then(
      () => {
        waiting.isDurable = true;
        this.#flush();
      },
      () => {},
    );
  }

  /** Drops the unpublished blocks above `number`. */
  dropAbove(number: bigint): void {
    this.#waiting = this.#waiting.filter(({ executed }) => executed.block.header.number <= number);
  }

  /** Resolves once at most `backlog` blocks are unpublished. @throws ChainError `CLOSED` while the disk fails */
  async until(backlog: number): Promise<void> {
    if (this.#waiting.length <= backlog) return;
    const { health } = this.#store;
    const reached = new Promise<void>((resolve) => {
      this.#idle.push({ reached: () => this.#waiting.length <= backlog, resolve });
    });
    const fed = this.#feed?.unlessFailing(reached) ?? reached;
    await health.unlessFailing(fed).catch(closed);
  }

  /** @throws ChainError `CLOSED` while the disk or the feed fails: nothing may be built on unwritten blocks */
  check(): void {
    try {
      this.#store.health.check();
      this.#feed?.check();
    } catch (error) {
      closed(error);
    }
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
}

function closed(cause: unknown): never {
  throw new ChainError("CLOSED", (cause as Error).message, {}, { cause });
}
