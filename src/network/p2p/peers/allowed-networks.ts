import { BlockList, isIP } from "node:net";

/** A network in CIDR notation, such as `10.0.0.0/8`. */
export interface AllowedNetwork {
  /** IP address; bits beyond the prefix are ignored. */
  readonly address: string;
  /** Length of the prefix in bits. */
  readonly bits: number;
}

/** Parses a network in CIDR notation; undefined if invalid. */
export function parseNetwork(text: string): AllowedNetwork | undefined {
  const [address = "", bits = "", ...rest] = text.split("/");
  const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  const isNetwork = rest.length === 0 && /^[0-9]{1,3}$/.test(bits) && Number(bits) <= most;
  return isNetwork ? { address, bits: Number(bits) } : undefined;
}

/**
 * A predicate: whether an IP address is in one of the networks; without any, all are allowed.
 * @param networks - in CIDR notation; invalid ones are ignored
 */
export function allowedBy(networks: readonly string[]): (host: string) => boolean {
  if (networks.length === 0) return () => true;
  const list = new BlockList();
  for (const network of networks.map(parseNetwork)) {
    if (network === undefined) continue;
    list.addSubnet(network.address, network.bits, isIP(network.address) === 6 ? "ipv6" : "ipv4");
  }
  return (host) => {
    const plain = host.replace(/^::ffff:(?=\d+\.)/, "");
    return list.check(plain, isIP(plain) === 6 ? "ipv6" : "ipv4");
  };
}
