import { ClusterError } from "../../network/cluster/errors.ts";
import { isLinkLocalAddress } from "../../platform/intake/targets.ts";
import type { NodeOptions } from "../node-options.ts";

/** URL of this node's JSON-RPC for followers; empty if the options do not determine it. @throws ClusterError `LOG_URL` */
export function ownUrlOf({ cluster, http, tls }: NodeOptions): string {
  if (cluster?.rpcUrl !== undefined) return checkedUrl(cluster.rpcUrl).href;
  if (http === undefined || http.port === 0) return "";
  const { host = "127.0.0.1" } = http;
  return `${tls ? "https" : "http"}://${host.includes(":") ? `[${host}]` : host}:${http.port}/`;
}

/**
 * Validates the URL of a writer, from the lease or an option.
 * @throws ClusterError `LOG_URL` for anything but HTTP without a password, and for link-local addresses
 */
export function checkedUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isHttp = url?.protocol === "http:" || url?.protocol === "https:";
  if (url !== undefined && isHttp && url.username === "" && url.password === "" && text.length <= 2_048)
    return notLinkLocal(url);
  throw new ClusterError(
    "LOG_URL",
    "the writer's address is not an http:// or https:// URL without a password",
  );
}

function notLinkLocal(url: URL): URL {
  checkWriterAddress(url.hostname.replace(/^\[(.*)\]$/, "$1"));
  return url;
}

/** Must be called with each address that a writer's name resolves to. @throws ClusterError `LOG_URL` for a link-local one */
export function checkWriterAddress(address: string): void {
  if (isLinkLocalAddress(address))
    throw new ClusterError("LOG_URL", "the writer's address is one of the link, where no node is");
}
