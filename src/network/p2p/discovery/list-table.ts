import type { Randomness } from "../../../platform/runtime/runtime.ts";
import type { NodeType } from "../node-url.ts";
import { type FoundNode, keyOf } from "./found-node.ts";
import { type NodeTable, shuffled } from "./node-table.ts";
import { SubnetLimit } from "./subnet-limit.ts";

/** Maximum nodes of a list: more than any network has of those types. */
const MAX_NODES = 500;
/** Maximum nodes of a subnet; an operator may well have several in one. */
const MAX_PER_SUBNET = 50;

/** A plain list, for types with few nodes: consensus nodes, proxies, bootnodes. */
export class ListTable implements NodeTable {
  readonly type: NodeType;
  /** Most recent last. */
  readonly #nodes = new Map<string, FoundNode>();
  readonly #subnets = new SubnetLimit(MAX_PER_SUBNET);
  readonly #randomness: Randomness;
  readonly #maxReturned: number;

  /** @param maxReturned - maximum nodes per response */
  constructor(type: NodeType, maxReturned: number, randomness: Randomness) {
    this.type = type;
    this.#maxReturned = maxReturned;
    this.#randomness = randomness;
  }

  get size(): number {
    return this.#nodes.size;
  }

  add(node: FoundNode): void {
    const key = keyOf(node.id);
    this.remove(node.id);
    if (this.#nodes.size >= MAX_NODES || !this.#subnets.hasRoom(node.host)) return;
    this.#subnets.add(node.host);
    this.#nodes.set(key, node);
  }

  remove(id: Uint8Array): void {
    const node = this.#nodes.get(keyOf(id));
    if (node === undefined) return;
    this.#nodes.delete(keyOf(id));
    this.#subnets.remove(node.host);
  }

  has(id: Uint8Array): boolean {
    return this.#nodes.has(keyOf(id));
  }

  nodes(): Iterable<FoundNode> {
    return this.#nodes.values();
  }

  replacements(): Iterable<FoundNode> {
    return [];
  }

  /** Random nodes: a list has no distance. */
  closest(_place: Uint8Array, most: number): readonly FoundNode[] {
    return shuffled(this.#nodes.values(), this.#randomness).slice(0, Math.min(most, this.#maxReturned));
  }

  oldest(): FoundNode | undefined {
    return this.#nodes.values().next().value;
  }
}
