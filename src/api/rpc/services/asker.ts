import type { Standing } from "../../../platform/runtime/turns/standing.ts";
import type { QueuedCaller } from "../spec/method.ts";
import { isLoopbackAddress, networkOf } from "./client-network.ts";

/** Identifies a caller for turns and places when calls wait. */
export function standingOf(asker: QueuedCaller): Standing {
  return { signal: asker.signal, client: clientOf(asker), isLocal: asker.access?.local };
}

/**
 * The unit that shares turns and places: a network, however many connections it opens; for programs on this machine, which all
 * have one address, each connection. A proxy on another machine is one client.
 */
export function clientOf(asker: QueuedCaller): unknown {
  const { address = "", connection } = asker;
  // The signal is read last: a request without one costs less.
  return address === "" || isLoopbackAddress(address) ? (connection ?? asker.signal) : networkOf(address);
}
