import type { Randomness } from "../../../platform/runtime/runtime.ts";
import type { NodeType } from "../node-url.ts";
import type { FoundNode } from "./found-node.ts";

/** Nodes of one type, and the bootnodes, which know of others. */
export interface NodeTable {
  readonly type: NodeType;
  readonly size: number;
  /** Takes a node that has shown where it is, where there is room; one that is there is the newest of its place again. */
  add(node: FoundNode): void;
  remove(id: Uint8Array): void;
  has(id: Uint8Array): boolean;
  nodes(): Iterable<FoundNode>;
  /** Nodes that wait for room. */
  replacements(): Iterable<FoundNode>;
  /** Those to tell who asks for nodes near to a place. */
  closest(place: Uint8Array, most: number): readonly FoundNode[];
  /** One that has not been heard of for long; undefined when there is none. */
  oldest(): FoundNode | undefined;
}

/** A whole number from 0 to below `count`, each as likely as any other while `count` is far below 2^32. */
export function randomBelow(count: number, randomness: Randomness): number {
  const [a = 0, b = 0, c = 0, d = 0] = randomness.bytes(4);
  return (((a << 24) | (b << 16) | (c << 8) | d) >>> 0) % count;
}

/** The values in an order of chance, in a new array. */
export function shuffled<T>(values: Iterable<T>, randomness: Randomness): T[] {
  const all = [...values];
  for (let i = all.length - 1; i > 0; i--) {
    const j = randomBelow(i + 1, randomness);
    [all[i], all[j]] = [all[j] as T, all[i] as T];
  }
  return all;
}
