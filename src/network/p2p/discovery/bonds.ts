import { AtOnce } from "../../../platform/runtime/turns/at-once.ts";
import { isLocal } from "./address-rules.ts";
import type { DiscoveryWire } from "./discovery-wire.ts";
import { type FoundNode, keyOf } from "./found-node.ts";
import type { NodeDatabase } from "./node-database.ts";

/** Maximum concurrent bondings: in total, triggered by inbound PINGs, and per address of these. */
const MAX_CONCURRENT = 16;
const MAX_INBOUND = 12;
const MAX_PER_HOST = 2;

/** Endpoint proofs: a node is bonded once it has answered a PING with a PONG. */
export class Bonds {
  readonly #wire: Pick<DiscoveryWire, "ping" | "awaitPing">;
  readonly #database: NodeDatabase;
  readonly #running = new Map<string, Promise<boolean>>();
  /** Hosts whose PING triggered a bonding in progress. */
  readonly #pinging: string[] = [];
  readonly #bonding = new AtOnce(MAX_CONCURRENT);

  constructor(wire: Pick<DiscoveryWire, "ping" | "awaitPing">, database: NodeDatabase) {
    this.#wire = wire;
    this.#database = database;
  }

  /** Bonds with a node reported by others. @returns the node as now known; undefined if it does not answer */
  async with(node: FoundNode): Promise<FoundNode | undefined> {
    const known = this.#database.trusted(node.id);
    if (known !== undefined) return known;
    await this.#bond(node, () => this.#pingAndAwaitPing(node));
    return this.#database.trusted(node.id);
  }

  /**
   * Bonds with a node that has sent a PING, within the limits.
   * @returns the node; undefined if it does not answer, or the limits are reached
   */
  async back(node: FoundNode): Promise<FoundNode | undefined> {
    const known = this.#database.trusted(node.id);
    if (known !== undefined && isSame(known, node)) return known;
    const ofHost = this.#pinging.filter((host) => host === node.host).length;
    const isFull = this.#pinging.length >= MAX_INBOUND || (ofHost >= MAX_PER_HOST && !isLocal(node.host));
    if (isFull || this.#bonding.isFull || this.#running.has(keyOf(node.id))) return undefined;
    this.#pinging.push(node.host);
    try {
      const isThere = await this.#bond(node, () => this.#wire.ping(node));
      return isThere ? node : undefined;
    } finally {
      this.#pinging.splice(this.#pinging.indexOf(node.host), 1);
    }
  }

  /** Checks whether a known node is still alive. */
  async renew(node: FoundNode): Promise<boolean> {
    const isThere = await this.#wire.ping(node);
    if (isThere) this.#database.add(node);
    return isThere;
  }

  /** Pings a node and waits for its PING: it answers queries only of nodes that it has bonded with itself. */
  async #pingAndAwaitPing(node: FoundNode): Promise<boolean> {
    const pinged = this.#wire.awaitPing(node);
    const isThere = await this.#wire.ping(node);
    if (isThere) await pinged;
    return isThere;
  }

  #bond(node: FoundNode, meet: () => Promise<boolean>): Promise<boolean> {
    const key = keyOf(node.id);
    const running = this.#running.get(key);
    if (running !== undefined) return running;
    const made = this.#bonding
      .run(meet)
      .then((isThere) => {
        if (isThere) this.#database.add(node);
        return isThere;
      })
      .finally(() => this.#running.delete(key));
    this.#running.set(key, made);
    return made;
  }
}

function isSame(a: FoundNode, b: FoundNode): boolean {
  return a.host === b.host && a.udp === b.udp && a.tcp === b.tcp && a.type === b.type;
}
