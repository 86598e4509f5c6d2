export type {
  BlockEvent,
  CallEvent,
  NodeEvent,
  NodeListener,
  RemovalEvent,
  TransactionEvent,
} from "./activity/node-event.ts";
export { createNode, type Node } from "./create-node.ts";
export type { DevChain, ListenerOptions, Mining, NodeOptions } from "./node-options.ts";
