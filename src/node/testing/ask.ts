import type { Node } from "../create-node.ts";

/** The zero address, and the zero hash. */
export const NO_ONE = `0x${"00".repeat(20)}`;
export const NO_HASH = `0x${"00".repeat(32)}`;

/** Returns a function that calls methods of a node, in process. */
export const asker =
  (node: Node) =>
  (method: string, ...params: unknown[]): Promise<unknown> =>
    node.provider.request({ method, params });

/** Returns a function that calls methods of a node, in process, for the text of their error; an answer is one that no error has. */
export const refuser =
  (node: Node) =>
  (method: string, ...params: unknown[]): Promise<string> =>
    asker(node)(method, ...params).then(
      (result) => `answered ${JSON.stringify(result)}`,
      (error: Error) => error.message,
    );
