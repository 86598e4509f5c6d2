export { createNode, type Node } from "./create-node.ts";
export type { DevChain, ListenerOptions, Mining, NodeOptions } from "./node-options.ts";
