import { isLocal } from "./address-rules.ts";
import type { DiscoveryWire } from "./discovery-wire.ts";
import { type FoundNode, keyOf } from "./found-node.ts";
import type { NodeDatabase } from "./node-database.ts";

/** Most concurrent bonds: in all, caused by pings of others, and per address of such pings. */
const MAX_AT_ONCE = 16;
const MAX_FOR_OTHERS = 12;
const MAX_OF_HOST = 2;

/** Endpoint proofs: a node is bonded once it has answered a PING. */
export class Bonds {
  readonly #wire: Pick<DiscoveryWire, "ping" | "awaitPing">;
  readonly #database: NodeDatabase;
  readonly #running = new Map<string, Promise<boolean>>();
  /** Hosts of the nodes whose PING began a bond that is being made. */
  readonly #pinging: string[] = [];
  readonly #queue: (() => void)[] = [];
  #taken = 0;

  constructor(wire: Pick<DiscoveryWire, "ping" | "awaitPing">, database: NodeDatabase) {
    this.#wire = wire;
    this.#database = database;
  }

  /** Bonds with a node announced by others. @returns the node as it is known now; undefined when it does not answer */
  async with(node: FoundNode): Promise<FoundNode | undefined> {
    const known = this.#database.trusted(node.id);
    if (known !== undefined) return known;
    await this.#make(node, () => this.#meet(node));
    return this.#database.trusted(node.id);
  }

  /**
   * Bonds with a node that has pinged, unless too many others do.
   * @returns the node; undefined when it does not answer, or was not asked
   */
  async back(node: FoundNode): Promise<FoundNode | undefined> {
    const known = this.#database.trusted(node.id);
    if (known !== undefined && isSame(known, node)) return known;
    const ofHost = this.#pinging.filter((host) => host === node.host).length;
    const isFull = this.#pinging.length >= MAX_FOR_OTHERS || (ofHost >= MAX_OF_HOST && !isLocal(node.host));
    if (isFull || this.#taken >= MAX_AT_ONCE || this.#running.has(keyOf(node.id))) return undefined;
    this.#pinging.push(node.host);
    try {
      const isThere = await this.#make(node, () => this.#wire.ping(node));
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

  /** Pings a node and waits for its ping before sending queries: it answers only nodes that it has pinged itself. */
  async #meet(node: FoundNode): Promise<boolean> {
    const pinged = this.#wire.awaitPing(node);
    const isThere = await this.#wire.ping(node);
    if (isThere) await pinged;
    return isThere;
  }

  #make(node: FoundNode, meet: () => Promise<boolean>): Promise<boolean> {
    const key = keyOf(node.id);
    const running = this.#running.get(key);
    if (running !== undefined) return running;
    const made = this.#whenFree(meet)
      .then((isThere) => {
        if (isThere) this.#database.add(node);
        return isThere;
      })
      .finally(() => this.#running.delete(key));
    this.#running.set(key, made);
    return made;
  }

  async #whenFree(meet: () => Promise<boolean>): Promise<boolean> {
    if (this.#taken >= MAX_AT_ONCE) await new Promise<void>((resolve) => void this.#queue.push(resolve));
    else this.#taken++;
    try {
      return await meet();
    } finally {
      const next = this.#queue.shift();
      if (next === undefined) this.#taken--;
      else next();
    }
  }
}

function isSame(a: FoundNode, b: FoundNode): boolean {
  return a.host === b.host && a.udp === b.udp && a.tcp === b.tcp && a.type === b.type;
}
