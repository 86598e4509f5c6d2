import { fuzz, silentErrors } from "./exposure/errors.ts";
import { hostileConsole } from "./exposure/hostile-node.ts";
import { hostileSockets } from "./exposure/hostile-sockets.ts";
import { onlyLoopback, undecidedStarts } from "./exposure/listeners.ts";
import { noHost, noOracle, processMethods } from "./exposure/methods.ts";
import type { HostileRow } from "./row.ts";

/** Exposure of methods: who may call what, and what errors reveal. */
export const exposureRows: readonly HostileRow[] = [
  { id: "S1", promise: "listens on loopback only", run: onlyLoopback },
  { id: "S5", promise: "methods that are not served look like unknown methods", run: noOracle },
  {
    id: "S6p",
    promise: "methods that affect the whole process are closed to other machines unless enabled",
    run: processMethods,
  },
  { id: "S6", promise: "opens nothing to other machines without an explicit decision", run: undecidedStarts },
  { id: "S10", promise: "errors reveal no stack, path or secret", run: silentErrors },
  { id: "X1", promise: "no access to files, listeners or code execution over RPC", run: noHost },
  {
    id: "X2",
    promise: "the console escapes and bounds everything from a node",
    run: () => hostileConsole(false),
  },
  {
    id: "X2l",
    promise: "the same, all cases",
    isLong: true,
    run: () => hostileConsole(true),
  },
  {
    id: "X3l",
    promise: "the same over WebSocket and IPC: messages, frames and handshakes",
    isLong: true,
    run: hostileSockets,
  },
  {
    id: "F3",
    promise: "odd calls of every method get well-formed responses, none of them internal errors",
    run: () => fuzz(["--inputs", "1000", "--chain", "dev", "--damage", "any"]),
  },
  {
    id: "F3l",
    promise: "the same, 100,000 times over all transports",
    isLong: true,
    run: () => fuzz(["--inputs", "100000", "--chain", "dev"]),
  },
];
