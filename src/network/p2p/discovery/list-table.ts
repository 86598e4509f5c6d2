import type { Randomness } from "../../../platform/runtime/runtime.ts";
import type { NodeType } from "../node-url.ts";
import { type FoundNode, keyOf } from "./found-node.ts";
import { type NodeTable, shuffled } from "./node-table.ts";
import { SubnetLimit } from "./subnet-limit.ts";

/** Most nodes of a list: more than any network has of those types. */
const MAX_NODES = 500;
/** Nodes of a subnet; those of one operator may well stand in one. */
const MAX_OF_SUBNET = 50;

/** A plain list, for the types of which there are few: consensus nodes, proxies, bootnodes. */
export class ListTable implements NodeTable {
  readonly type: NodeType;
  /** Most recent last. */
  readonly #nodes = new Map<string, FoundNode>();
  readonly #subnets = new SubnetLimit(MAX_OF_SUBNET);
  readonly #randomness: Randomness;
  readonly #mostTold: number;

  /** @param mostTold - nodes of one answer */
  constructor(type: NodeType, mostTold: number, randomness: Randomness) {
    this.type = type;
    this.#mostTold = mostTold;
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

  /** Any of them: a list has no distance. */
  closest(_place: Uint8Array, most: number): readonly FoundNode[] {
    return shuffled(this.#nodes.values(), this.#randomness).slice(0, Math.min(most, this.#mostTold));
  }

  oldest(): FoundNode | undefined {
    return this.#nodes.values().next().value;
  }
}
