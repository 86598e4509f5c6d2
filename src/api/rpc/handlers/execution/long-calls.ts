import type { CallRequest } from "../../../../ledger/execution/calls/call.ts";
import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import { LruMap } from "../../../../protocol/primitives/lru.ts";

/** Methods of contracts that are remembered, of all clients together. */
const MOST_KNOWN = 1024;
/** Calls of such a method before the main thread tries one again: twice as many each time, up to a bound. */
const CALLS_BETWEEN_TRIES = { first: 15, most: 60 };
const SELECTOR_BYTES = 4;

/**
 * Methods of contracts that took too long for the main thread when a client called them: the next calls by the same client go to a
 * thread at once, so that they do not first work there for nothing. What one client calls changes nothing for another.
 */
export class LongCalls {
  readonly #known = new LruMap<string, { left: number; readonly between: number }>(MOST_KNOWN);
  readonly #names = new WeakMap<object, number>();
  #clients = 0;

  /** Whether a call is expected to take long; counts it. */
  expects(request: CallRequest, client: unknown): boolean {
    if (this.#known.size === 0) return false;
    const known = this.#known.get(this.#keyOf(request, client));
    if (known === undefined || known.left === 0) return false;
    known.left--;
    return true;
  }

  /** Notes that a call took too long for the main thread. */
  note(request: CallRequest, client: unknown): void {
    const key = this.#keyOf(request, client);
    const known = this.#known.get(key);
    const { first, most } = CALLS_BETWEEN_TRIES;
    const between = known === undefined ? first : Math.min(2 * known.between, most);
    this.#known.set(key, { left: between, between });
  }

  #keyOf({ to, input }: CallRequest, client: unknown): string {
    const method = bytesToHex(input.subarray(0, SELECTOR_BYTES));
    return `${this.#nameOf(client)} ${to === undefined ? "" : bytesToHex(to)} ${method}`;
  }

  #nameOf(client: unknown): unknown {
    if (typeof client !== "object" || client === null) return client;
    let name = this.#names.get(client);
    if (name === undefined) {
      name = ++this.#clients;
      this.#names.set(client, name);
    }
    return name;
  }
}
