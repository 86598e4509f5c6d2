import { isIP } from "node:net";
import type { Clock } from "../../../platform/runtime/runtime.ts";
import { formatNodeUrl, NodeType, parseNodeUrl } from "../node-url.ts";
import { type FoundNode, keyOf, urlOf } from "./found-node.ts";
import { SubnetLimit } from "./subnet-limit.ts";

/** How long a node counts as alive after a response. */
const BOND_MS = 24 * 3_600_000;
/** Nodes seen within this time are queried first after a start. */
const SEED_MS = 5 * 24 * 3_600_000;
const MAX_SEEDS = 30;
/** Nodes that are remembered. */
const MAX_NODES = 2_000;
const MAX_OF_SUBNET = 50;

interface Known {
  readonly node: FoundNode;
  /** When it last answered a PING, in milliseconds since 1970: it outlives the process. */
  readonly answeredAt: number;
  /** Unanswered queries in a row. */
  failures: number;
}

/** Nodes that have proven their address. The oldest is dropped when there are too many. */
export class NodeDatabase {
  readonly #clock: Clock;
  /** Most recently answering node last. */
  readonly #nodes = new Map<string, Known>();
  readonly #subnets = new SubnetLimit(MAX_OF_SUBNET);
  /** Nodes of each address. */
  readonly #hosts = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#nodes.size;
  }

  /** Records a response of a node. @param answeredAt - milliseconds since 1970 */
  add(node: FoundNode, answeredAt: number = this.#clock.now()): void {
    this.remove(node.id);
    if (!this.#subnets.hasRoom(node.host)) return;
    for (const { node: oldest } of this.#nodes.values()) {
      if (this.#nodes.size < MAX_NODES) break;
      this.remove(oldest.id);
    }
    this.#subnets.add(node.host);
    this.#hosts.set(node.host, (this.#hosts.get(node.host) ?? 0) + 1);
    this.#nodes.set(keyOf(node.id), { node, answeredAt, failures: 0 });
  }

  remove(id: Uint8Array): void {
    const known = this.#nodes.get(keyOf(id));
    if (known === undefined) return;
    const { host } = known.node;
    this.#nodes.delete(keyOf(id));
    this.#subnets.remove(host);
    const others = (this.#hosts.get(host) ?? 0) - 1;
    if (others > 0) this.#hosts.set(host, others);
    else this.#hosts.delete(host);
  }

  /** Whether a node is known at an address. */
  hasHost(host: string): boolean {
    return this.#hosts.has(host);
  }

  get(id: Uint8Array): FoundNode | undefined {
    return this.#nodes.get(keyOf(id))?.node;
  }

  /** Milliseconds since 1970 at which a node last answered; 0 = never. */
  answeredAt(id: Uint8Array): number {
    return this.#nodes.get(keyOf(id))?.answeredAt ?? 0;
  }

  /** Whether a node has answered from an address within a day. */
  isBonded(id: Uint8Array, host: string): boolean {
    const known = this.#nodes.get(keyOf(id));
    return known !== undefined && known.node.host === host && !this.#isOlder(known, BOND_MS);
  }

  /** A node that responded within a day and answers queries; undefined if it has to be pinged first. */
  trusted(id: Uint8Array): FoundNode | undefined {
    const known = this.#nodes.get(keyOf(id));
    return known && known.failures === 0 && !this.#isOlder(known, BOND_MS) ? known.node : undefined;
  }

  /** Records an unanswered query. @returns how many in a row */
  fail(id: Uint8Array): number {
    const known = this.#nodes.get(keyOf(id));
    if (known === undefined) return 0;
    return ++known.failures;
  }

  /** Nodes to begin with after a start; bootnodes are named by the operator. */
  seeds(): readonly FoundNode[] {
    return [...this.#nodes.values()]
      .filter((known) => known.node.type !== NodeType.bn && !this.#isOlder(known, SEED_MS))
      .slice(-MAX_SEEDS)
      .map(({ node }) => node);
  }

  /** As it is kept on disk: a JSON list of `[URL, milliseconds since 1970]`. */
  write(): Uint8Array {
    const rows = [...this.#nodes.values()]
      .filter((known) => !this.#isOlder(known, SEED_MS))
      .map(({ node, answeredAt }) => [formatNodeUrl(urlOf(node)), answeredAt]);
    return new TextEncoder().encode(`${JSON.stringify(rows)}\n`);
  }

  /** Loads what `write` has written; invalid entries are skipped, as other nodes will be found. */
  read(bytes: Uint8Array): void {
    let rows: unknown;
    try {
      rows = JSON.parse(new TextDecoder().decode(bytes));
    } catch {
      return;
    }
    if (!Array.isArray(rows)) return;
    const now = this.#clock.now();
    for (const row of rows.slice(-MAX_NODES)) {
      const [url, answeredAt] = Array.isArray(row) ? row : [];
      const node = typeof url === "string" ? nodeOf(url) : undefined;
      if (node && typeof answeredAt === "number") this.add(node, Math.min(answeredAt, now));
    }
  }

  #isOlder({ answeredAt }: Known, ms: number): boolean {
    return this.#clock.now() - answeredAt > ms;
  }
}

/** @returns undefined for a URL that names no node which can be asked */
function nodeOf(text: string): FoundNode | undefined {
  try {
    const { id, host, udp, tcp, type } = parseNodeUrl(text);
    return host !== undefined && isIP(host) !== 0 && udp > 0 ? { id, host, udp, tcp, type } : undefined;
  } catch {
    return undefined;
  }
}
