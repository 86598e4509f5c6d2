import type { Randomness } from "../../../platform/runtime/runtime.ts";
import type { NodeType } from "../node-url.ts";
import type { FoundNode } from "./found-node.ts";

/** A table of the nodes of one type, and of bootnodes. */
export interface NodeTable {
  readonly type: NodeType;
  readonly size: number;
  /** Adds a bonded node if there is room; a known one becomes the most recent. */
  add(node: FoundNode): void;
  remove(id: Uint8Array): void;
  has(id: Uint8Array): boolean;
  nodes(): Iterable<FoundNode>;
  /** Nodes in the replacement caches. */
  replacements(): Iterable<FoundNode>;
  /** The nodes closest to a hash. */
  closest(place: Uint8Array, most: number): readonly FoundNode[];
  /** A least recently seen node; undefined if there is none. */
  oldest(): FoundNode | undefined;
}

/** A random integer from 0 to `count` - 1, almost uniform while `count` is far below 2^32. */
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
