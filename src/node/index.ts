export type { SealingMode } from "../network/consensus/solo/sealing-mode.ts";
export { createNode, type Node } from "./create-node.ts";
export type { DevChain, ListenerOptions, NodeOptions } from "./node-options.ts";
export type {
  BlockEvent,
  CallEvent,
  NodeEvent,
  NodeListener,
  RemovalEvent,
  TransactionEvent,
} from "./service/activity/node-event.ts";
