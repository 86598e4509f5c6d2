import { ClusterError } from "../errors.ts";

/** The action of a transaction, which may not hold the connection without using it. */
export class WatchedAction {
  readonly #idleMs: number;
  readonly #database: string;
  #running = 0;
  #isOver = false;
  #timer: NodeJS.Timeout | undefined;
  #fail: (error: ClusterError) => void = () => {};

  /**
   * @param idleMs - maximum time between two statements in milliseconds
   * @param database - its name, for errors
   */
  constructor(idleMs: number, database: string) {
    this.#idleMs = idleMs;
    this.#database = database;
  }

  /** Runs the action. @throws ClusterError `LOG_FAILED` if it sends no statement for too long */
  async run<T>(action: () => Promise<T>): Promise<T> {
    const idle = new Promise<never>((_, reject) => {
      this.#fail = reject;
    });
    this.#watch();
    try {
      return await Promise.race([action(), idle]);
    } finally {
      this.#isOver = true;
      clearTimeout(this.#timer);
    }
  }

  /** Runs a statement of the action. @throws ClusterError `LOG_FAILED` if the action is over: the statement would run outside it */
  async statement<T>(send: () => Promise<T>): Promise<T> {
    if (this.#isOver) throw this.#failure("a statement came after its end");
    clearTimeout(this.#timer);
    this.#running++;
    try {
      return await send();
    } finally {
      this.#running--;
      this.#watch();
    }
  }

  #watch(): void {
    if (this.#isOver || this.#running > 0) return;
    this.#timer = setTimeout(
      () => this.#fail(this.#failure(`no statement was sent for ${this.#idleMs} ms`)),
      this.#idleMs,
    );
  }

  #failure(reason: string): ClusterError {
    return new ClusterError("LOG_FAILED", `${this.#database}: transaction: ${reason}`);
  }
}
