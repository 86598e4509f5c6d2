import type { Randomness } from "../../../platform/runtime/runtime.ts";
import type { NodeType } from "../node-url.ts";
import { BUCKETS, bucketOf, compareDistance, idHash } from "./distance.ts";
import { type FoundNode, keyOf } from "./found-node.ts";
import { type NodeTable, randomBelow } from "./node-table.ts";
import { SubnetLimit } from "./subnet-limit.ts";

/** Maximum nodes per bucket. */
export const BUCKET_SIZE = 16;
/** Size of a bucket's replacement cache. */
const MAX_REPLACEMENTS = 10;
/** Maximum nodes of a subnet per bucket and per table. */
const SUBNET_LIMITS = { bucket: 2, table: 10 };

interface TableNode {
  readonly node: FoundNode;
  readonly place: Uint8Array;
}

interface Bucket {
  /** Most recent last. */
  readonly entries: Map<string, TableNode>;
  /** Most recent last. */
  readonly replacements: Map<string, TableNode>;
  readonly subnets: SubnetLimit;
}

/** A Kademlia table: nodes by their distance to the local one. @see Maymounkov, Mazières: Kademlia */
export class KademliaTable implements NodeTable {
  readonly type: NodeType;
  readonly #own: Uint8Array;
  readonly #ownKey: string;
  readonly #randomness: Randomness;
  readonly #subnets = new SubnetLimit(SUBNET_LIMITS.table);
  readonly #buckets: readonly Bucket[] = Array.from({ length: BUCKETS }, () => ({
    entries: new Map(),
    replacements: new Map(),
    subnets: new SubnetLimit(SUBNET_LIMITS.bucket),
  }));

  /** @param ownId - id of the local node, 64 bytes */
  constructor(type: NodeType, ownId: Uint8Array, randomness: Randomness) {
    this.type = type;
    this.#own = idHash(ownId);
    this.#ownKey = keyOf(ownId);
    this.#randomness = randomness;
  }

  get size(): number {
    return this.#buckets.reduce((sum, { entries }) => sum + entries.size, 0);
  }

  add(node: FoundNode): void {
    const key = keyOf(node.id);
    if (key === this.#ownKey) return;
    const entry = { node, place: idHash(node.id) };
    const bucket = this.#bucketOf(entry.place);
    const isThere = bucket.entries.has(key);
    if (isThere) this.#drop(bucket, key);
    const hasRoom =
      bucket.entries.size < BUCKET_SIZE &&
      bucket.subnets.hasRoom(node.host) &&
      this.#subnets.hasRoom(node.host);
    if (hasRoom) this.#put(bucket, key, entry);
    else if (!isThere) this.#addReplacement(bucket, key, entry);
  }

  /** Removes a node and promotes a replacement. */
  remove(id: Uint8Array): void {
    const key = keyOf(id);
    const bucket = this.#bucketOf(idHash(id));
    bucket.replacements.delete(key);
    if (!bucket.entries.has(key)) return;
    this.#drop(bucket, key);
    for (const [other, entry] of [...bucket.replacements].reverse()) {
      if (!bucket.subnets.hasRoom(entry.node.host) || !this.#subnets.hasRoom(entry.node.host)) continue;
      bucket.replacements.delete(other);
      this.#put(bucket, other, entry);
      return;
    }
  }

  has(id: Uint8Array): boolean {
    return this.#bucketOf(idHash(id)).entries.has(keyOf(id));
  }

  *nodes(): Iterable<FoundNode> {
    for (const { entries } of this.#buckets) for (const { node } of entries.values()) yield node;
  }

  *replacements(): Iterable<FoundNode> {
    for (const { replacements } of this.#buckets) for (const { node } of replacements.values()) yield node;
  }

  closest(place: Uint8Array, most: number): readonly FoundNode[] {
    return this.#buckets
      .flatMap(({ entries }) => [...entries.values()])
      .sort((a, b) => compareDistance(place, a.place, b.place))
      .slice(0, most)
      .map(({ node }) => node);
  }

  /** The least recently seen node of a random bucket. */
  oldest(): FoundNode | undefined {
    const filled = this.#buckets.filter(({ entries }) => entries.size > 0);
    const bucket = filled[filled.length && randomBelow(filled.length, this.#randomness)];
    return bucket?.entries.values().next().value?.node;
  }

  #bucketOf(place: Uint8Array): Bucket {
    return this.#buckets[bucketOf(this.#own, place)] as Bucket;
  }

  #put(bucket: Bucket, key: string, entry: TableNode): void {
    bucket.replacements.delete(key);
    bucket.entries.set(key, entry);
    bucket.subnets.add(entry.node.host);
    this.#subnets.add(entry.node.host);
  }

  #drop(bucket: Bucket, key: string): void {
    const { node } = bucket.entries.get(key) as TableNode;
    bucket.entries.delete(key);
    bucket.subnets.remove(node.host);
    this.#subnets.remove(node.host);
  }

  #addReplacement({ replacements }: Bucket, key: string, entry: TableNode): void {
    replacements.delete(key);
    if (replacements.size >= MAX_REPLACEMENTS)
      replacements.delete(replacements.keys().next().value as string);
    replacements.set(key, entry);
  }
}
