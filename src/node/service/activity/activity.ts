import type { CallObserver } from "../../../api/rpc/engine/server-options.ts";
import type { Blockchain } from "../../../ledger/chain/blockchain.ts";
import type { Logger } from "../../../platform/telemetry/logger.ts";
import { eventsOfHead } from "./block-events.ts";
import { observeCall } from "./call-events.ts";
import type { NodeEvent, NodeListener } from "./node-event.ts";

/** Reports what a node does to its watchers. While there are none, nothing is recorded. */
export class Activity {
  readonly #chain: Pick<Blockchain, "config" | "rulesAt" | "onHead">;
  readonly #logger: Logger;
  readonly #listeners = new Set<NodeListener>();
  #leaveChain: (() => void) | undefined;

  constructor(chain: Pick<Blockchain, "config" | "rulesAt" | "onHead">, logger: Logger) {
    this.#chain = chain;
    this.#logger = logger;
  }

  /** Observes the methods of JSON-RPC. */
  readonly calls: CallObserver = activityObserver(
    () => this.#listeners.size > 0,
    (event) => this.#notify(event),
  );

  /** Calls a listener with every event from now on. @returns the function that ends it */
  watch(listener: NodeListener): () => void {
    const own: NodeListener = (event) => listener(event); // a listener that is added twice is called twice
    this.#listeners.add(own);
    this.#leaveChain ??= this.#chain.onHead((head) => {
      for (const event of eventsOfHead(head, this.#chain)) this.#notify(event);
    });
    return () => {
      this.#listeners.delete(own);
      if (this.#listeners.size > 0) return;
      this.#leaveChain?.();
      this.#leaveChain = undefined;
    };
  }

  #notify(event: NodeEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (error) {
        this.#logger.error("a listener of the node's events failed", { kind: event.kind, error });
      }
    }
  }
}

function activityObserver(isWatched: () => boolean, notify: NodeListener): CallObserver {
  return {
    get isWatched() {
      return isWatched();
    },
    begin: (name, params, bound) => observeCall({ name, params, scope: bound?.declaration.scope }, notify),
  };
}
