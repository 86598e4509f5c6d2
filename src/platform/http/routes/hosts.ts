import { isIP } from "node:net";

/** The characters of a host and its port, RFC 3986. */
const HOST_TEXT = /^[\w!$%&'()*+,\-.:;=[\]~]*$/;

/** Whether a `Host` field has only valid characters. */
export function isHostText(host: string | undefined): boolean {
  return HOST_TEXT.test(host ?? "");
}

/** IP addresses, in brackets only with a port, and an absent host pass; the reference compares names by letter case. */
export function hostAllowed(host: string | undefined, hosts: readonly string[]): boolean {
  if (host === undefined || host === "" || hosts.includes("*")) return true;
  const name = withoutPort(host);
  return isIP(name) !== 0 || hosts.some((allowed) => allowed.toLowerCase() === name);
}

/** `localhost` of `localhost:8551`, `::1` of `[::1]:8551`; an address alone stays as it is. */
function withoutPort(host: string): string {
  if (isIP(host) !== 0) return host;
  const colon = host.lastIndexOf(":");
  if (colon < 0 || !/^\d*$/.test(host.slice(colon + 1))) return host;
  const name = host.slice(0, colon);
  return name.startsWith("[") && name.endsWith("]") ? name.slice(1, -1) : name;
}
