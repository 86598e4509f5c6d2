import { isIP } from "node:net";
import type { Clock } from "../../../platform/runtime/runtime.ts";
import { formatNodeUrl, NodeType, parseNodeUrl } from "../node-url.ts";
import { type FoundNode, keyOf, urlOf } from "./found-node.ts";
import { SubnetLimit } from "./subnet-limit.ts";

/** How long a bond lasts after a PONG. */
const BOND_MS = 24 * 3_600_000;
/** Nodes seen within this time are seeds after a restart. */
const SEED_MS = 5 * 24 * 3_600_000;
const MAX_SEEDS = 30;
/** Maximum number of nodes remembered. */
const MAX_NODES = 2_000;
const MAX_PER_SUBNET = 50;

interface Known {
  readonly node: FoundNode;
  /** Time of its last PONG in epoch milliseconds, since it is persisted. */
  readonly lastPongAt: number;
  /** Consecutive unanswered queries. */
  failures: number;
}

/** Nodes that have proven their endpoint. The oldest is evicted when there are too many. */
export class NodeDatabase {
  readonly #clock: Clock;
  /** Most recent PONG last. */
  readonly #nodes = new Map<string, Known>();
  readonly #subnets = new SubnetLimit(MAX_PER_SUBNET);
  /** Number of nodes per address. */
  readonly #hosts = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#nodes.size;
  }

  /** Records a PONG of a node. @param lastPongAt - epoch milliseconds */
  add(node: FoundNode, lastPongAt: number = this.#clock.now()): void {
    this.remove(node.id);
    if (!this.#subnets.hasRoom(node.host)) return;
    for (const { node: oldest } of this.#nodes.values()) {
      if (this.#nodes.size < MAX_NODES) break;
      this.remove(oldest.id);
    }
    this.#subnets.add(node.host);
    this.#hosts.set(node.host, (this.#hosts.get(node.host) ?? 0) + 1);
    this.#nodes.set(keyOf(node.id), { node, lastPongAt, failures: 0 });
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

  /** Time of a node's last PONG in epoch milliseconds; 0 = never. */
  lastPongAt(id: Uint8Array): number {
    return this.#nodes.get(keyOf(id))?.lastPongAt ?? 0;
  }

  /** Whether a node has sent a PONG from an address within a day. */
  isBonded(id: Uint8Array, host: string): boolean {
    const known = this.#nodes.get(keyOf(id));
    return known !== undefined && known.node.host === host && !this.#isOlder(known, BOND_MS);
  }

  /** A bonded node without unanswered queries; undefined if it must be pinged first. */
  trusted(id: Uint8Array): FoundNode | undefined {
    const known = this.#nodes.get(keyOf(id));
    return known && known.failures === 0 && !this.#isOlder(known, BOND_MS) ? known.node : undefined;
  }

  /** Records an unanswered query. @returns the number of consecutive ones */
  fail(id: Uint8Array): number {
    const known = this.#nodes.get(keyOf(id));
    if (known === undefined) return 0;
    return ++known.failures;
  }

  /** Seed nodes after a restart; bootnodes are excluded, as they are configured. */
  seeds(): readonly FoundNode[] {
    return [...this.#nodes.values()]
      .filter((known) => known.node.type !== NodeType.bn && !this.#isOlder(known, SEED_MS))
      .slice(-MAX_SEEDS)
      .map(({ node }) => node);
  }

  /** Serialises the nodes as a JSON list of `[URL, epoch milliseconds]`. */
  write(): Uint8Array {
    const rows = [...this.#nodes.values()]
      .filter((known) => !this.#isOlder(known, SEED_MS))
      .map(({ node, lastPongAt }) => [formatNodeUrl(urlOf(node)), lastPongAt]);
    return new TextEncoder().encode(`${JSON.stringify(rows)}\n`);
  }

  /** Loads the output of `write`; invalid entries are skipped. */
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
      const [url, lastPongAt] = Array.isArray(row) ? row : [];
      const node = typeof url === "string" ? nodeOf(url) : undefined;
      if (node && typeof lastPongAt === "number") this.add(node, Math.min(lastPongAt, now));
    }
  }

  #isOlder({ lastPongAt }: Known, ms: number): boolean {
    return this.#clock.now() - lastPongAt > ms;
  }
}

/** @returns undefined for an invalid URL, or one without an IP address or UDP port */
function nodeOf(text: string): FoundNode | undefined {
  try {
    const { id, host, udp, tcp, type } = parseNodeUrl(text);
    return host !== undefined && isIP(host) !== 0 && udp > 0 ? { id, host, udp, tcp, type } : undefined;
  } catch {
    return undefined;
  }
}
