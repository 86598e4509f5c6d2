import type { Cancel, Timers } from "../../../platform/runtime/runtime.ts";
import type { Discovery } from "../discovery/discovery.ts";
import { urlOf } from "../discovery/found-node.ts";
import type { NodeType } from "../node-url.ts";
import type { PeerNetwork } from "./peer-network.ts";

/** Interval between checks for missing peers. */
const LOOK_MS = 4_000;
/** The first check comes sooner, once the bootnodes have responded. */
const FIRST_LOOK_MS = 1_000;

/** How many nodes of a type are wanted. */
export interface WantedPeers {
  readonly type: NodeType;
  readonly most: number;
}

/** What a finder uses. */
export interface PeerFinderParts {
  readonly discovery: Pick<Discovery, "find">;
  readonly network: Pick<PeerNetwork, "addFound" | "found" | "isFull">;
  readonly timers: Timers;
  readonly wanted: readonly WantedPeers[];
}

/** Dials discovered nodes as long as peers are missing. */
export class PeerFinder {
  readonly #parts: PeerFinderParts;
  #cancel: Cancel;
  #isClosed = false;

  constructor(parts: PeerFinderParts) {
    this.#parts = parts;
    this.#cancel = parts.timers.schedule(FIRST_LOOK_MS, () => void this.#look());
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel();
  }

  async #look(): Promise<void> {
    const { discovery, network, timers, wanted } = this.#parts;
    for (const { type, most } of wanted) {
      if (this.#isClosed) return;
      const missing = most - network.found(type);
      if (missing <= 0 || network.isFull) continue;
      // More than missing: some are already connected, or do not respond.
      const nodes = await discovery.find(type, most * 2);
      for (const node of nodes) {
        if (network.found(type) >= most) break;
        network.addFound(urlOf(node));
      }
    }
    if (!this.#isClosed) this.#cancel = timers.schedule(LOOK_MS, () => void this.#look());
  }
}
