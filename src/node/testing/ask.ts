import type { Node } from "../create-node.ts";

/** The zero address, and the zero hash. */
export const NO_ONE = `0x${"00".repeat(20)}`;
export const NO_HASH = `0x${"00".repeat(32)}`;

/** Returns a function that calls methods of a node, in process. */
export const asker =
  (node: Node) =>
  (method: string, ...params: unknown[]): Promise<unknown> =>
    node.provider.request({ method, params });
