import { lookup } from "node:dns";
import { BlockList, isIP } from "node:net";
import { IntakeError } from "./errors.ts";

/** Address ranges that are not on the public internet. @see IANA special-purpose address registries, RFC 6890 */
const RESERVED: readonly (readonly [net: string, prefix: number, family: "ipv4" | "ipv6"])[] = [
  ["0.0.0.0", 8, "ipv4"],
  ["10.0.0.0", 8, "ipv4"],
  ["100.64.0.0", 10, "ipv4"],
  ["127.0.0.0", 8, "ipv4"],
  ["169.254.0.0", 16, "ipv4"],
  ["172.16.0.0", 12, "ipv4"],
  ["192.0.0.0", 24, "ipv4"],
  ["192.0.2.0", 24, "ipv4"],
  ["192.88.99.0", 24, "ipv4"],
  ["192.168.0.0", 16, "ipv4"],
  ["198.18.0.0", 15, "ipv4"],
  ["198.51.100.0", 24, "ipv4"],
  ["203.0.113.0", 24, "ipv4"],
  ["224.0.0.0", 3, "ipv4"],
];
/** IPv6 global unicast, and the ranges in it that are reserved or embed IPv4 addresses: Teredo, 6to4, documentation. */
const GLOBAL_IPV6 = ["2000::", 3, "ipv6"] as const;
const EMBEDDING = [
  ["2001::", 23, "ipv6"],
  ["2001:db8::", 32, "ipv6"],
  ["2002::", 16, "ipv6"],
  ["3fff::", 20, "ipv6"],
] as const;

const reserved = listOf([...RESERVED, ...EMBEDDING]);
const routed = listOf([GLOBAL_IPV6]);

/** Whether an address in its usual notation is on the public internet. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !reserved.check(address, "ipv4");
  return family === 6 && routed.check(address, "ipv6") && !reserved.check(address, "ipv6");
}

/** Link-local addresses: no node has one, but cloud metadata services, which trust every caller, do. */
const linkLocal = listOf([
  ["169.254.0.0", 16, "ipv4"],
  ["fe80::", 10, "ipv6"],
  ["fd00:ec2::", 32, "ipv6"],
]);

/** Whether an address is link-local, as cloud metadata services are. */
export function isLinkLocalAddress(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && linkLocal.check(address, family === 4 ? "ipv4" : "ipv6");
}

/** The lookup function of `node:net`. */
export type Lookup = typeof lookup;

/**
 * Checks the host of a URL if it is an address; `URL` normalises `0x7f.1` and `2130706433` to `127.0.0.1`.
 * @throws IntakeError `FORBIDDEN_TARGET` when it is not on the public internet
 */
export function checkPublicHost({ hostname }: URL): void {
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  if (isIP(host) !== 0 && !isPublicAddress(host)) throw forbidden(hostname);
}

/** Resolves a name and refuses it if any address is not on the public internet. */
export function createPublicLookup(find?: Lookup): Lookup {
  return createCheckedLookup((address, host) => {
    if (!isPublicAddress(address)) throw forbidden(host);
  }, find);
}

/**
 * Resolves a name and rejects it if any of its addresses is rejected. The connection uses an address checked here, which prevents DNS
 * rebinding.
 * @param check - throws for a forbidden address
 */
export function createCheckedLookup(
  check: (address: string, host: string) => void,
  find: Lookup = lookup,
): Lookup {
  return ((
    host: string,
    options: { all?: boolean },
    done: (error: Error | null, ...found: unknown[]) => void,
  ) => {
    find(host, { ...options, all: true }, (error, found) => {
      if (error) return done(error);
      const [first] = found;
      try {
        if (first === undefined) throw forbidden(host);
        for (const { address } of found) check(address, host);
      } catch (refusal) {
        return done(refusal as Error);
      }
      if (options.all === true) done(null, found);
      else done(null, first.address, first.family);
    });
  }) as Lookup;
}

/**
 * Checks the host of a URL, resolving it if it is a name, before anything is sent there.
 * @throws IntakeError `FORBIDDEN_TARGET`, `NO_ANSWER` when the name cannot be resolved
 */
export async function checkPublicTarget(url: URL, find: Lookup = lookup): Promise<void> {
  checkPublicHost(url);
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  if (isIP(host) !== 0) return;
  const look = createPublicLookup(find);
  await new Promise<void>((resolve, reject) => {
    look(host, { all: true }, (error) => {
      if (error === null) resolve();
      else if (error instanceof IntakeError) reject(error);
      else reject(new IntakeError("NO_ANSWER", `${host} cannot be looked up (${error.code})`));
    });
  });
}

function forbidden(host: string): IntakeError {
  return new IntakeError("FORBIDDEN_TARGET", `${host} is not an address of the public internet`);
}

function listOf(nets: typeof RESERVED): BlockList {
  const list = new BlockList();
  for (const [net, prefix, family] of nets) list.addSubnet(net, prefix, family);
  return list;
}
