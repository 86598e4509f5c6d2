import { watchedByMany } from "../runtime/signals.ts";

/** The client that waits for the response to one request. Its `AbortController` is created on demand. */
export class HttpCaller {
  /** Address of the other side, without port; empty for sockets without one. */
  readonly address: string;
  /** Shared by all requests of its connection. */
  readonly connection: object;
  #controller: AbortController | undefined;
  #hasLeft = false;

  constructor(address: string, connection: object) {
    this.address = address;
    this.connection = connection;
  }

  /** Aborts when the client disconnects before the response, or the node stops. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = watchedByMany(new AbortController());
      if (this.#hasLeft) this.#controller.abort();
    }
    return this.#controller.signal;
  }

  /** Whether the signal may have listeners. */
  get isWatched(): boolean {
    return this.#controller !== undefined;
  }

  leave(): void {
    this.#hasLeft = true;
    this.#controller?.abort();
  }
}
