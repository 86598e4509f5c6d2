import type { CallRequest } from "../../../../ledger/execution/calls/call.ts";
import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import { LruMap } from "../../../../protocol/primitives/lru.ts";

/** Maximum contract methods remembered, of all clients together. */
const MAX_KNOWN = 1024;
/** Calls of such a method before the main thread tries one again: doubled each time, up to a bound. */
const CALLS_BETWEEN_TRIES = { first: 15, max: 60 };
const SELECTOR_BYTES = 4;

/**
 * Contract methods that took too long for the main thread when a client called them: the same client's next calls go straight to a
 * thread, instead of starting in vain on the main thread. One client's calls do not affect another's.
 */
export class LongCalls {
  readonly #known = new LruMap<string, { left: number; readonly between: number }>(MAX_KNOWN);
  readonly #names = new WeakMap<object, number>();
  #clients = 0;

  /** Whether a call is expected to take long; counts the call. */
  expects(request: CallRequest, client: unknown): boolean {
    if (this.#known.size === 0) return false;
    const known = this.#known.get(this.#keyOf(request, client));
    if (known === undefined || known.left === 0) return false;
    known.left--;
    return true;
  }

  /** Records that a call took too long for the main thread. */
  note(request: CallRequest, client: unknown): void {
    const key = this.#keyOf(request, client);
    const known = this.#known.get(key);
    const { first, max } = CALLS_BETWEEN_TRIES;
    const between = known === undefined ? first : Math.min(2 * known.between, max);
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
