import type { Chain } from "../../ledger/chain/chain.ts";
import type { NodePosition, StateNode, StateStore, StateView } from "../../ledger/state/state.ts";
import { ROOT_POSITION } from "../../ledger/state/trie/read-node.ts";
import type { Pace } from "../../platform/runtime/turns/pace.ts";
import { equalBytes, type Hash } from "../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { LruMap } from "../../protocol/primitives/lru.ts";

/** Soft limit of a response in bytes. */
export const RESPONSE_BYTES = 2 << 20;
/** Maximum nodes per response. */
const MAX_NODES = 384;
/** Number of recent states whose nodes are served. */
const RECENT_STATES = 128n;
/** Maximum past states reconstructed per request; an honest peer requests the nodes of one. */
const MAX_PAST_STATES = 2;
/** Maximum number of paths remembered, some 400 bytes each. */
const MAX_REMEMBERED_PATHS = 32_768;

/** Where a trie node was referenced by its parent: the block number of the state, and the path. */
interface NodeLocation {
  readonly number: bigint;
  readonly position: NodePosition;
}

/** The entries found so far, by index of the hash, and those to be looked up in past states. */
interface Search {
  readonly hashes: readonly Hash[];
  readonly found: (Uint8Array | undefined)[];
  readonly past: Map<bigint, { readonly index: number; readonly position: NodePosition }[]>;
  bytes: number;
}

/**
 * Trie nodes and codes by hash. The state stores its nodes by path, so a node is found only if it is the root of a recent state, or a child
 * of a node served before: a peer that walks a trie from its root gets all of it, without an index by hash. Every node is checked against
 * the requested hash, whatever happened to the state meanwhile.
 */
export class NodesByHash {
  readonly #store: Pick<StateStore, "latest" | "prove" | "code">;
  readonly #chain: Pick<Chain, "head" | "header">;
  readonly #locations = new LruMap<string, NodeLocation>(MAX_REMEMBERED_PATHS);
  #roots: { readonly head: Hash; readonly numbers: ReadonlyMap<string, bigint> } | undefined;
  /** Past states are reconstructed one at a time, across all peers. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(store: Pick<StateStore, "latest" | "prove" | "code">, chain: Pick<Chain, "head" | "header">) {
    this.#store = store;
    this.#chain = chain;
  }

  /**
   * The entries found, in the order of the hashes, up to 384 or 2 MiB.
   * @param pace - checked between nodes; an error it throws ends the search
   */
  async find(hashes: readonly Hash[], pace: Pace): Promise<Uint8Array[]> {
    const search: Search = { hashes: hashes.slice(0, MAX_NODES), found: [], past: new Map(), bytes: 0 };
    for (let i = 0; i < search.hashes.length && search.bytes < RESPONSE_BYTES; i++) {
      this.#lookUp(search, i);
      if (pace.isDue()) await pace.yield();
    }
    for (const [number, wanted] of [...search.past].slice(0, MAX_PAST_STATES))
      await this.#serially(() => this.#lookBack(search, number, wanted, pace));
    return withinLimit(search.found);
  }

  #lookUp(search: Search, index: number): void {
    const hash = search.hashes[index] as Hash;
    const code = this.#store.code(hash);
    if (code !== undefined) {
      keep(search, index, code);
      return;
    }
    const name = bytesToHex(hash);
    const location = this.#locations.get(name) ?? this.#rootOf(name);
    if (location === undefined || this.#read(search, index, this.#store.latest(), location)) return;
    const wanted = search.past.get(location.number) ?? [];
    search.past.set(location.number, wanted);
    wanted.push({ index, position: location.position });
  }

  #lookBack(
    search: Search,
    number: bigint,
    wanted: readonly { readonly index: number; readonly position: NodePosition }[],
    pace: Pace,
  ): Promise<void> {
    return this.#store.prove({ number }, pace, (view) => {
      for (const { index, position } of view === undefined ? [] : wanted) {
        if (search.bytes >= RESPONSE_BYTES) return;
        this.#read(search, index, view as StateView, { number, position });
      }
    });
  }

  /** Reads the node at a recorded path. @returns whether it has the requested hash */
  #read(search: Search, index: number, view: StateView, { number, position }: NodeLocation): boolean {
    const node = view.node(position);
    if (node === undefined || !equalBytes(node.hash, search.hashes[index] as Hash)) return false;
    keep(search, index, node.rlp);
    this.#remember(node, number);
    return true;
  }

  #remember({ children }: StateNode, number: bigint): void {
    for (const { hash, position } of children) this.#locations.set(bytesToHex(hash), { number, position });
  }

  #rootOf(name: string): NodeLocation | undefined {
    const { header, hash } = this.#chain.head;
    if (this.#roots === undefined || !equalBytes(this.#roots.head, hash)) {
      const numbers = new Map<string, bigint>();
      for (let number = header.number; number >= 0n && header.number - number < RECENT_STATES; number--) {
        const root = this.#chain.header(number)?.stateRoot;
        if (root !== undefined && !numbers.has(bytesToHex(root))) numbers.set(bytesToHex(root), number);
      }
      this.#roots = { head: hash, numbers };
    }
    const number = this.#roots.numbers.get(name);
    return number === undefined ? undefined : { number, position: ROOT_POSITION };
  }

  async #serially(work: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(work);
    this.#turn = turn.catch(() => {});
    // Nodes of a pruned state count as unknown.
    await turn.catch((error) => {
      if ((error as { code?: unknown }).code !== "STATE_PRUNED") throw error;
    });
  }
}

function keep(search: Search, index: number, bytes: Uint8Array): void {
  search.found[index] = bytes;
  search.bytes += bytes.length;
}

function withinLimit(found: readonly (Uint8Array | undefined)[]): Uint8Array[] {
  const entries: Uint8Array[] = [];
  let size = 0;
  for (const entry of found) {
    if (entry === undefined) continue;
    if (size >= RESPONSE_BYTES) break;
    entries.push(entry);
    size += entry.length;
  }
  return entries;
}
