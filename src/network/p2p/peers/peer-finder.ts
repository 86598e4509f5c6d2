import type { Cancel, Timers } from "../../../platform/runtime/runtime.ts";
import type { Logger } from "../../../platform/telemetry/logger.ts";
import type { Discovery } from "../discovery/discovery.ts";
import { urlOf } from "../discovery/found-node.ts";
import type { NodeType } from "../node-url.ts";
import type { PeerNetwork } from "./peer-network.ts";

/** Interval between checks for missing peers. */
const CHECK_INTERVAL_MS = 4_000;
/** The first check is earlier, once the bootnodes have responded. */
const FIRST_CHECK_MS = 1_000;

/** Number of peers wanted of a type. */
export interface WantedPeers {
  readonly type: NodeType;
  readonly most: number;
}

/** Dependencies of a peer finder. */
export interface PeerFinderParts {
  readonly discovery: Pick<Discovery, "find">;
  readonly network: Pick<PeerNetwork, "addFound" | "found" | "isFull">;
  readonly timers: Timers;
  readonly wanted: readonly WantedPeers[];
  readonly logger: Pick<Logger, "warn">;
}

/** Dials discovered nodes while there are fewer peers than wanted. */
export class PeerFinder {
  readonly #parts: PeerFinderParts;
  #cancel: Cancel;
  #isClosed = false;

  constructor(parts: PeerFinderParts) {
    this.#parts = parts;
    this.#cancel = parts.timers.schedule(FIRST_CHECK_MS, () => void this.#checkAgain());
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel();
  }

  /** Checks, and schedules the next check. Never rejects. */
  async #checkAgain(): Promise<void> {
    const { logger, timers } = this.#parts;
    try {
      await this.#check();
    } catch (error) {
      logger.warn("finding peers failed", { reason: String(error).slice(0, 200) });
    }
    if (!this.#isClosed) this.#cancel = timers.schedule(CHECK_INTERVAL_MS, () => void this.#checkAgain());
  }

  async #check(): Promise<void> {
    const { discovery, network, wanted } = this.#parts;
    for (const { type, most } of wanted) {
      if (this.#isClosed) return;
      const missing = most - network.found(type);
      if (missing <= 0 || network.isFull) continue;
      // More than necessary: some are already connected, or do not respond.
      const nodes = await discovery.find(type, most * 2);
      for (const node of nodes) {
        if (network.found(type) >= most) break;
        network.addFound(urlOf(node));
      }
    }
  }
}
