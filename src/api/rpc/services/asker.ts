import type { Standing } from "../../../platform/runtime/turns/standing.ts";
import type { QueuedCaller } from "../spec/method.ts";
import { isLoopbackAddress, networkOf } from "./client-network.ts";

/** Whose turn it is when a call waits. */
export function standingOf(asker: QueuedCaller): Standing {
  return { signal: asker.signal, client: clientOf(asker), isLocal: asker.access?.local };
}

/**
 * What shares turns and places: a network, however many connections it opens; of the programs on this machine, which all have
 * one address, each connection. A proxy on another machine is one client.
 */
export function clientOf(asker: QueuedCaller): unknown {
  const { address = "", connection } = asker;
  // The signal comes last: a request without one costs less.
  return address === "" || isLoopbackAddress(address) ? (connection ?? asker.signal) : networkOf(address);
}
