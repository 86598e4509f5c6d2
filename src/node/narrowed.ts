import { refused } from "../api/rpc/engine/errors.ts";
import type { ListenRequest } from "../api/rpc/handlers/listener-control.ts";
import { isChainName } from "../api/rpc/spec/chain-names.ts";
import { isLoopback } from "./exposure.ts";
import type { ListenerOptions } from "./node-options.ts";

/** Every address of the machine, and of IPv4. */
const ALL = new Set(["::", "0.0.0.0", ""]);

/** A listener as it is to be started now. */
export interface NarrowedListener {
  readonly host: string;
  readonly port: number;
  /** Absent = all. */
  readonly modules?: readonly string[];
  readonly origins: readonly string[];
  readonly virtualHosts: readonly string[];
}

/**
 * What a caller asks of a listener, no wider than it was launched: nobody opens over RPC what was closed at launch.
 * Modules, origins and host names that are too many are left out, as the reference node does with modules.
 * @throws RpcError -32000 for a host that more machines reach
 */
export function narrowed(launched: ListenerOptions, request: ListenRequest): NarrowedListener {
  const {
    host: launchedHost = "127.0.0.1",
    port: launchedPort,
    modules,
    origins = [],
    virtualHosts = ["localhost"],
  } = launched;
  const host = request.host ?? launchedHost;
  if (!isNarrower(host, launchedHost))
    throw refused(`host ${host} is wider than at launch (${launchedHost}): it can only be narrowed`);
  const port = request.port ?? launchedPort;
  if (port < 0 || port > 65535) throw refused(`port ${port}: ports are 0 to 65535`);
  const kept = request.modules === undefined ? modules : keptModules(request.modules, modules);
  return {
    host,
    port,
    ...(kept && { modules: kept }),
    origins: keptNames(request.origins, origins),
    virtualHosts: keptNames(request.virtualHosts, virtualHosts),
  };
}

function isNarrower(host: string, launched: string): boolean {
  return host === launched || isLoopback(host) || (ALL.has(launched) && !ALL.has(host));
}

function keptModules(wanted: readonly string[], launched: readonly string[] | undefined): readonly string[] {
  if (launched === undefined) return wanted;
  const hasChain = launched.some(isChainName);
  return wanted.filter((name) => launched.includes(name) || (hasChain && isChainName(name)));
}

/** Of names with `*` for all. */
function keptNames(wanted: readonly string[] | undefined, launched: readonly string[]): readonly string[] {
  if (wanted === undefined || wanted.includes("*")) return launched;
  return launched.includes("*") ? wanted : wanted.filter((name) => launched.includes(name));
}
