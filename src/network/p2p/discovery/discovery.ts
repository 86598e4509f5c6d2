// One class: lookups, revalidation and responses share the tables and their timers.
import type { Datagrams, StreamAddress } from "../../../platform/runtime/network.ts";
import type { Cancel, Runtime } from "../../../platform/runtime/runtime.ts";
import type { Logger } from "../../../platform/telemetry/logger.ts";
import { publicKeyOf } from "../../../protocol/crypto/secp256k1.ts";
import { equalBytes } from "../../../protocol/primitives/bytes.ts";
import { NodeType } from "../node-url.ts";
import { Bonds } from "./bonds.ts";
import { DiscoveryWire, type PacketCounts } from "./discovery-wire.ts";
import { idHash } from "./distance.ts";
import { type FoundNode, keyOf } from "./found-node.ts";
import { BUCKET_SIZE, KademliaTable } from "./kademlia-table.ts";
import { ListTable } from "./list-table.ts";
import { NodeDatabase } from "./node-database.ts";
import { type NodeTable, randomBelow, shuffled } from "./node-table.ts";
import type { FindNode } from "./packets.ts";
import { lookupClosest, queryOnce, type SearchParts } from "./search.ts";

const REFRESH_MS = 30 * 60_000;
/** Interval of revalidating the least recently seen node of each table. */
const REVALIDATE_MS = 10_000;
const SAVE_MS = 30_000;
/** A node is removed after this many consecutive unanswered queries. */
const MAX_TIMEOUTS = 5;
const RANDOM_TARGETS = 3;
const ID_BYTES = 64;
const ANY_TARGET = new Uint8Array(ID_BYTES);
/** Maximum nodes returned per response, by type. */
const MAX_RETURNED: Readonly<Record<number, number>> = { [NodeType.cn]: 100, [NodeType.pn]: 2 };
/** Maximum nodes accepted per lookup, by type, and by the own type where it matters. */
const MAX_WANTED = { cn: 100, pn: 2, bn: 3, pnOfPn: 1, pnOfBn: 100 };

/** Dependencies of discovery. */
export interface DiscoveryParts {
  /** Private key of the node, 32 bytes. */
  readonly key: Uint8Array;
  readonly networkId: bigint;
  readonly type: NodeType;
  /** Node types to find, besides bootnodes. */
  readonly types: readonly NodeType[];
  /** Queried when no other node is known; host names are resolved each time. */
  bootnodes(): Promise<readonly FoundNode[]>;
  /** External IP address of the node; absent = as seen by others. */
  readonly externalHost?: string | undefined;
  readonly runtime: Pick<Runtime, "clock" | "timers" | "randomness">;
  readonly logger: Logger;
  /** Whether an IP address is allowed. */
  isAllowed(host: string): boolean;
  /** Whether to respond to a node; absent = to all. */
  isAuthorized?(id: Uint8Array, type: number): boolean;
  /** Persists known nodes across restarts. */
  readonly memory?: { read(): Uint8Array | undefined; write(bytes: Uint8Array): Promise<void> } | undefined;
}

/** Finds other nodes over UDP, and shares known ones. */
export class Discovery {
  readonly ownId: Uint8Array;
  readonly database: NodeDatabase;
  readonly #parts: DiscoveryParts;
  readonly #wire: DiscoveryWire;
  readonly #bonds: Bonds;
  readonly #search: SearchParts;
  /** Keys of the configured bootnodes, once their names have been resolved. */
  readonly #configured = new Set<string>();
  readonly #tables = new Map<NodeType, NodeTable>();
  readonly #lookups = new Map<NodeType, Promise<readonly FoundNode[]>>();
  readonly #timers = new Map<string, Cancel>();
  #isReady = false;
  #isClosed = false;

  constructor(parts: DiscoveryParts) {
    this.#parts = parts;
    const { clock, timers } = parts.runtime;
    this.ownId = publicKeyOf(parts.key);
    this.database = new NodeDatabase(clock);
    const { key, networkId, type, externalHost, isAllowed } = parts;
    this.#wire = new DiscoveryWire({
      ...{ key, networkId, type, externalHost, clock, timers, isAllowed },
      events: {
        isAuthorized: (id, type) => parts.isAuthorized?.(id, type) ?? true,
        isBonded: (id, host) => this.database.isBonded(id, host),
        hasHost: (host) => this.database.hasHost(host),
        pinged: (node) => void this.#attempt("bond", () => this.#bondBack(node)),
        answer: (question) => this.#answer(question),
      },
    });
    this.#bonds = new Bonds(this.#wire, this.database);
    this.#search = {
      ...{ ownId: this.ownId, wire: this.#wire, bonds: this.#bonds },
      onFound: (node) => this.add(node),
      onTimeout: (node) => this.#onTimeout(node),
    };
    for (const type of [...new Set([...parts.types, NodeType.bn])])
      this.#tables.set(type, this.#createTable(type));
  }

  /** UDP port of this node; 0 while none is open. */
  get port(): number {
    return this.#wire.port;
  }

  get counts(): Readonly<PacketCounts> {
    return this.#wire.counts;
  }

  /** Types to find, including bootnodes. */
  get types(): readonly NodeType[] {
    return [...this.#tables.keys()];
  }

  /** @param tcpPort - announced to others; 0 = the UDP port @throws Error of the system, such as a port in use */
  async start(datagrams: Datagrams, address: StreamAddress, tcpPort: number): Promise<void> {
    const kept = this.#parts.memory?.read();
    if (kept !== undefined) this.database.read(kept);
    await this.#wire.open(datagrams, address, tcpPort);
    this.#every(
      "refresh",
      () => REFRESH_MS,
      () => this.#refresh(),
    );
    this.#every(
      "revalidate",
      () => 1 + randomBelow(REVALIDATE_MS, this.#parts.runtime.randomness),
      () => this.#revalidate(),
    );
    this.#every(
      "save",
      () => SAVE_MS,
      () => this.#save(),
    );
    void this.#attempt("refresh", () => this.#refresh()).then(() => {
      this.#isReady = true;
    });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const cancel of this.#timers.values()) cancel();
    await this.#wire.close();
    await this.#save();
  }

  /** All nodes in the tables. */
  *nodes(): Iterable<FoundNode> {
    const told = new Set<string>();
    for (const table of this.#tables.values()) {
      for (const node of table.nodes()) {
        if (told.has(keyOf(node.id))) continue;
        told.add(keyOf(node.id));
        yield node;
      }
    }
  }

  /** All nodes in the replacement caches. */
  *replacements(): Iterable<FoundNode> {
    for (const table of this.#tables.values()) yield* table.replacements();
  }

  /** Known nodes of a type, in random order. */
  known(type: NodeType, most: number): readonly FoundNode[] {
    const all = [...(this.#tables.get(type)?.nodes() ?? [])].filter((node) => node.type === type);
    return shuffled(all, this.#parts.runtime.randomness).slice(0, most);
  }

  /** Nodes of a type; runs a lookup if fewer than `most` are known. */
  async find(type: NodeType, most: number): Promise<readonly FoundNode[]> {
    const known = this.known(type, most);
    if (known.length >= most || this.#isClosed) return known;
    const target = type === NodeType.en ? this.#parts.runtime.randomness.bytes(ID_BYTES) : ANY_TARGET;
    const found = (await this.lookup(type, target)).filter((node) => node.type === type);
    const all = new Map([...known, ...found].map((node) => [keyOf(node.id), node]));
    return [...all.values()].slice(0, most);
  }

  /** Runs a lookup; concurrent ones of a type are shared. @param target - 64 bytes */
  lookup(type: NodeType, target: Uint8Array): Promise<readonly FoundNode[]> {
    const running = this.#lookups.get(type);
    if (running !== undefined) return running;
    const lookup = this.#lookUp(type, target).finally(() => this.#lookups.delete(type));
    this.#lookups.set(type, lookup);
    return lookup;
  }

  /** Finds a node by its id, in the tables or by a lookup. */
  async resolve(id: Uint8Array, type: NodeType): Promise<FoundNode | undefined> {
    const isWanted = (node: FoundNode) => equalBytes(node.id, id);
    return [...this.nodes()].find(isWanted) ?? (await this.lookup(type, id)).find(isWanted);
  }

  /** Adds a node to its table; a bootnode to all tables, so that it is queried. */
  add(node: FoundNode): void {
    if (equalBytes(node.id, this.ownId)) return;
    for (const table of this.#tables.values()) {
      if (node.type === NodeType.bn || node.type === table.type) table.add(node);
      else table.remove(node.id);
    }
  }

  /** Removes a node from the tables. */
  remove(id: Uint8Array): void {
    for (const table of this.#tables.values()) table.remove(id);
  }

  #createTable(type: NodeType): NodeTable {
    const { runtime, type: own } = this.#parts;
    if (type === NodeType.en) return new KademliaTable(type, this.ownId, runtime.randomness);
    return new ListTable(type, limitOf(type, own), runtime.randomness);
  }

  async #lookUp(type: NodeType, target: Uint8Array): Promise<readonly FoundNode[]> {
    const table = this.#tables.get(type);
    if (table === undefined || this.#isClosed) return [];
    if (type === NodeType.en) {
      if (table.size === 0) await this.#bondBootnodes();
      const seeds = table.closest(idHash(target), BUCKET_SIZE);
      return lookupClosest(this.#search, seeds, { target, type, most: BUCKET_SIZE });
    }
    const known = [...table.nodes()].filter((node) => node.type === NodeType.bn);
    const seeds = known.length > 0 ? this.#configuredFirst(known) : await this.#bondBootnodes();
    return queryOnce(this.#search, seeds, {
      target: ANY_TARGET,
      type,
      most: limitOf(type, this.#parts.type),
    });
  }

  /** Bootnodes of the configuration before nodes that only say that they are one: of the seeds few are queried. */
  #configuredFirst(nodes: readonly FoundNode[]): readonly FoundNode[] {
    const isConfigured = ({ id }: FoundNode) => this.#configured.has(keyOf(id));
    return nodes.toSorted((a, b) => Number(isConfigured(b)) - Number(isConfigured(a)));
  }

  /** Resolves the names of the bootnodes, which may take seconds. */
  async #bootnodes(): Promise<readonly FoundNode[]> {
    const nodes = await this.#parts.bootnodes();
    for (const { id } of nodes) this.#configured.add(keyOf(id));
    return nodes;
  }

  async #bondBootnodes(): Promise<readonly FoundNode[]> {
    return this.#bondAll(await this.#bootnodes());
  }

  /** @returns those that are alive */
  async #bondAll(nodes: readonly FoundNode[]): Promise<readonly FoundNode[]> {
    const others = nodes.filter(({ id }) => !equalBytes(id, this.ownId));
    const met = await Promise.all(others.map((node) => this.#bonds.with(node)));
    const found = met.filter((node) => node !== undefined);
    for (const node of found) this.add(node);
    return found;
  }

  async #bondBack(node: FoundNode): Promise<void> {
    const isOwn = equalBytes(node.id, this.ownId);
    if (!this.#isReady || this.#isClosed || isOwn) return;
    const met = await this.#bonds.back(node);
    if (met !== undefined) this.add(met);
  }

  #answer({ target, type }: FindNode): readonly FoundNode[] {
    const nodes =
      this.#tables.get(type as NodeType)?.closest(idHash(target), MAX_RETURNED[type] ?? BUCKET_SIZE) ?? [];
    return type === NodeType.bn ? nodes : nodes.filter((node) => node.type !== NodeType.bn);
  }

  #onTimeout(node: FoundNode): void {
    if (this.#isClosed || this.database.fail(node.id) < MAX_TIMEOUTS) return;
    this.remove(node.id);
    this.database.remove(node.id);
  }

  /** Bonds with previously known nodes and the bootnodes, and, depending on the node type, runs lookups from there. */
  async #refresh(): Promise<void> {
    const { type, runtime } = this.#parts;
    await this.#bondAll([...this.database.seeds(), ...(await this.#bootnodes())]);
    if (type === NodeType.bn) await this.lookup(NodeType.bn, this.ownId);
    if (type !== NodeType.en || !this.#tables.has(NodeType.en)) return;
    await this.lookup(NodeType.en, this.ownId);
    for (let i = 0; i < RANDOM_TARGETS && !this.#isClosed; i++) {
      await this.lookup(NodeType.en, runtime.randomness.bytes(ID_BYTES));
    }
  }

  async #revalidate(): Promise<void> {
    await Promise.all([...this.#tables.values()].map((table) => this.#revalidateOne(table)));
  }

  async #revalidateOne(table: NodeTable): Promise<void> {
    const node = table.oldest();
    const now = this.#parts.runtime.clock.now();
    if (node === undefined || now - this.database.lastPongAt(node.id) < REVALIDATE_MS) return;
    const isThere = await this.#bonds.renew(node);
    if (this.#isClosed) return;
    if (isThere) table.add(node);
    else {
      table.remove(node.id);
      if (table.type !== NodeType.en) this.database.remove(node.id);
    }
  }

  async #save(): Promise<void> {
    try {
      await this.#parts.memory?.write(this.database.write());
    } catch (error) {
      this.#parts.logger.debug("known nodes could not be saved", { reason: String(error).slice(0, 200) });
    }
  }

  /** Repeats work, with a delay after each run. */
  #every(name: string, delay: () => number, work: () => Promise<void>): void {
    if (this.#isClosed) return;
    const cancel = this.#parts.runtime.timers.schedule(delay(), () => {
      void this.#attempt(name, work).then(() => this.#every(name, delay, work));
    });
    this.#timers.set(name, cancel);
  }

  /** Never rejects, since neither the node nor the next attempt may depend on the outcome. */
  async #attempt(name: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#parts.logger.warn(`discovery: ${name} failed`, { reason: String(error).slice(0, 200) });
    }
  }
}

function limitOf(type: NodeType, own: NodeType): number {
  if (type === NodeType.cn) return MAX_WANTED.cn;
  if (type === NodeType.bn) return MAX_WANTED.bn;
  if (own === NodeType.bn) return MAX_WANTED.pnOfBn;
  return own === NodeType.pn ? MAX_WANTED.pnOfPn : MAX_WANTED.pn;
}
