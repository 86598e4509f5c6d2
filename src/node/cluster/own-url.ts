import { BlockList, isIP } from "node:net";
import { ClusterError } from "../../network/cluster/errors.ts";
import type { NodeOptions } from "../node-options.ts";

/** Where followers reach this node's JSON-RPC; empty where its options do not say. @throws ClusterError `LOG_URL` */
export function ownUrlOf({ cluster, http, tls }: NodeOptions): string {
  if (cluster?.rpcUrl !== undefined) return checkedUrl(cluster.rpcUrl).href;
  if (http === undefined || http.port === 0) return "";
  const { host = "127.0.0.1" } = http;
  return `${tls ? "https" : "http"}://${host.includes(":") ? `[${host}]` : host}:${http.port}/`;
}

/** Where no node is, but services of a cloud's machines that trust whoever asks. */
const LINK_LOCAL = new BlockList();
LINK_LOCAL.addSubnet("169.254.0.0", 16, "ipv4");
LINK_LOCAL.addSubnet("fe80::", 10, "ipv6");
LINK_LOCAL.addAddress("fd00:ec2::254", "ipv6");

/**
 * The URL of a writer, as it is in the lease or an option.
 * @throws ClusterError `LOG_URL` for anything but HTTP without a password, and for addresses of the link
 */
export function checkedUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isHttp = url?.protocol === "http:" || url?.protocol === "https:";
  if (url !== undefined && isHttp && url.username === "" && url.password === "" && text.length <= 2_048)
    return notLinkLocal(url);
  throw new ClusterError("LOG_URL", "the writer's address is no http:// or https:// URL without a password");
}

function notLinkLocal(url: URL): URL {
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const family = isIP(host);
  if (family === 0 || !LINK_LOCAL.check(host, family === 4 ? "ipv4" : "ipv6")) return url;
  throw new ClusterError("LOG_URL", "the writer's address is one of the link, where no node is");
}
