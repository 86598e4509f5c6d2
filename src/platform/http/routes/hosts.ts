import { isIP } from "node:net";

/** The characters of a host and its port, RFC 3986. */
const HOST_TEXT = /^[\w!$%&'()*+,\-.:;=[\]~]*$/;

/** The hosts that requests may be addressed to: what keeps pages from reaching a listener under a name of their own. */
export type HostRule =
  /** These names, with any port, besides IP addresses and an absent host; `*` = all. */
  | { readonly names: readonly string[] }
  /** Exactly these values of the field, in lower case. */
  | { readonly exactly: ReadonlySet<string> };

/** What is wrong with the host of a request; undefined if it is allowed. */
export function hostFault(host: string | undefined, rule: HostRule): "malformed" | "foreign" | undefined {
  if ("exactly" in rule) return rule.exactly.has(host?.toLowerCase() ?? "") ? undefined : "foreign";
  if (!HOST_TEXT.test(host ?? "")) return "malformed";
  return isAmong(host, rule.names) ? undefined : "foreign";
}

/** IP addresses are in brackets only with a port; the reference compares names by letter case. */
function isAmong(host: string | undefined, names: readonly string[]): boolean {
  if (host === undefined || host === "" || names.includes("*")) return true;
  const name = withoutPort(host);
  return isIP(name) !== 0 || names.some((allowed) => allowed.toLowerCase() === name);
}

/** `localhost` of `localhost:8551`, `::1` of `[::1]:8551`; an address alone stays as it is. */
function withoutPort(host: string): string {
  if (isIP(host) !== 0) return host;
  const colon = host.lastIndexOf(":");
  if (colon < 0 || !/^\d*$/.test(host.slice(colon + 1))) return host;
  const name = host.slice(0, colon);
  return name.startsWith("[") && name.endsWith("]") ? name.slice(1, -1) : name;
}
