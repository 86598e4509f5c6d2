import { refused } from "../../../api/rpc/engine/errors.ts";
import type { ListenRequest } from "../../../api/rpc/handlers/node/listener-control.ts";
import { isChainName } from "../../../api/rpc/spec/chain-names.ts";
import type { ListenerOptions } from "../../node-options.ts";
import { isLoopback } from "./exposure.ts";

/** Wildcard addresses: all of the machine's, or all of IPv4. */
const ALL = new Set(["::", "0.0.0.0", ""]);

/** The settings a listener is started with. */
export interface NarrowedListener {
  readonly host: string;
  readonly port: number;
  /** Absent = all. */
  readonly modules?: readonly string[];
  readonly origins: readonly string[];
  readonly virtualHosts: readonly string[];
}

/**
 * Restricts a listener request to what was opened at launch: nothing closed then can be opened over RPC. Excess modules,
 * origins and host names are dropped, as the reference node does with modules.
 * @throws RpcError -32000 for a host that more machines can reach
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
  if (port < 0 || port > 65535) throw refused(`listen tcp: address ${port}: invalid port`);
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

/** The wanted names that were launched; `*` stands for all. */
function keptNames(wanted: readonly string[] | undefined, launched: readonly string[]): readonly string[] {
  if (wanted === undefined || wanted.includes("*")) return launched;
  return launched.includes("*") ? wanted : wanted.filter((name) => launched.includes(name));
}
