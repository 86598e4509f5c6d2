import { isLoopbackAddress, networkOf } from "../../../platform/runtime/client-network.ts";
import type { CallerIdentity } from "../../../platform/runtime/turns/caller-identity.ts";
import type { QueuedCaller } from "../spec/method.ts";

/** Identifies a caller in queues. */
export function identityOf(caller: QueuedCaller): CallerIdentity {
  return { signal: caller.signal, client: clientOf(caller), isLocal: caller.access?.local };
}

/**
 * The unit of fair scheduling: a network, however many connections it opens; for programs on this machine, which all
 * have one address, each connection. A proxy on another machine is one client.
 */
export function clientOf(caller: QueuedCaller): unknown {
  const { address = "", connection } = caller;
  // The signal is read last: a request without one costs less.
  return address === "" || isLoopbackAddress(address) ? (connection ?? caller.signal) : networkOf(address);
}
