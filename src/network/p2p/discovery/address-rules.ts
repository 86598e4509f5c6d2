import { BlockList, isIPv6 } from "node:net";
import { ipBytesOf } from "./ip-address.ts";

/** Networks as `address/bits`. */
const LOOPBACK = networks("127.0.0.0/8", "::1/128");
const LAN = networks(
  ...["0.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"],
  ...["fe80::/10", "fc00::/7"],
);
/**
 * Special-purpose address ranges, where no node is: multicast, documentation, benchmarking, transition. @see IANA special-purpose address
 * registries
 */
const SPECIAL = networks(
  ...["224.0.0.0/4", "255.255.255.255/32", "192.0.0.0/29", "192.0.0.9/32", "192.0.0.170/31"],
  ...["192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.175.48.0/24"],
  ...["198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24"],
  ...["ff00::/8", "100::/64", "2001::/32", "2001:1::1/128", "2001:2::/48", "2001:3::/32", "2001:4:112::/48"],
  ...["2001:5::/32", "2001:10::/28", "2001:20::/28", "2001:db8::/32", "2002::/16"],
);

/** Whether an IP address is loopback or private. */
export function isLocal(host: string): boolean {
  return isIn(LOOPBACK, host) || isIn(LAN, host);
}

/**
 * Why a node at `sender` may not relay one at `host`; undefined if it may: special-purpose addresses are never relayed, and loopback and
 * private ones only within the same kind of network. The texts are the reference's.
 * @param sender - IP address
 * @param host - IP address
 */
export function relayFault(sender: string, host: string): string | undefined {
  if (host === "0.0.0.0" || host === "::") return "zero address";
  if (isIn(SPECIAL, host)) return "special network";
  if (isIn(LOOPBACK, host) && !isIn(LOOPBACK, sender)) return "loopback address from non-loopback host";
  if (isLocal(host) && !isLocal(sender)) return "LAN address from WAN host";
  return undefined;
}

/** The subnet that one party is likely to own: 24 bits of an IPv4 address, 64 of an IPv6 one. */
export function subnetOf(host: string): string {
  const bytes = ipBytesOf(host);
  return bytes.subarray(0, bytes.length === 4 ? 3 : 8).join(".");
}

function isIn(list: BlockList, host: string): boolean {
  return list.check(host, isIPv6(host) ? "ipv6" : "ipv4");
}

function networks(...texts: readonly string[]): BlockList {
  const list = new BlockList();
  for (const text of texts) {
    const [address = "", bits] = text.split("/");
    list.addSubnet(address, Number(bits), isIPv6(address) ? "ipv6" : "ipv4");
  }
  return list;
}
