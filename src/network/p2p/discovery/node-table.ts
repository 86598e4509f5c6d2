import type { Randomness } from "../../../platform/runtime/runtime.ts";
import type { NodeType } from "../node-url.ts";
import type { FoundNode } from "./found-node.ts";

/** A table of nodes of one type, and the bootnodes. */
export interface NodeTable {
  readonly type: NodeType;
  readonly size: number;
  /** Adds a node with a proven address, if there is room; a known one becomes the most recent. */
  add(node: FoundNode): void;
  remove(id: Uint8Array): void;
  has(id: Uint8Array): boolean;
  nodes(): Iterable<FoundNode>;
  /** Replacement nodes. */
  replacements(): Iterable<FoundNode>;
  /** The nodes to return for a query near a position. */
  closest(place: Uint8Array, most: number): readonly FoundNode[];
  /** A node not seen for long; undefined if there is none. */
  oldest(): FoundNode | undefined;
}

/** A whole number from 0 to below `count`, each as likely as any other while `count` is far below 2^32. */
export function randomBelow(count: number, randomness: Randomness): number {
  const [a = 0, b = 0, c = 0, d = 0] = randomness.bytes(4);
  return (((a << 24) | (b << 16) | (c << 8) | d) >>> 0) % count;
}

/** The values shuffled, in a new array. */
export function shuffled<T>(values: Iterable<T>, randomness: Randomness): T[] {
  const all = [...values];
  for (let i = all.length - 1; i > 0; i--) {
    const j = randomBelow(i + 1, randomness);
    [all[i], all[j]] = [all[j] as T, all[i] as T];
  }
  return all;
}
