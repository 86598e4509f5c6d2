import { networkOf } from "../../../platform/runtime/client-network.ts";

/** A network keeps a quarter of the slots, whoever else comes. */
const SHARE = 4;

/** An inbound session that is not exempt from the limits. */
interface Inbound {
  readonly stream: { readonly remote: { readonly host: string } };
}

/**
 * The session whose slot a newcomer gets when none is free: the newest one of the network (an IPv4 address, a /64) that has the most, if
 * that has more than its share, and would still have more than the newcomer's. So no address can keep all others out.
 * @param inbound - the oldest first
 * @param most - slots in all
 */
export function displaceable<S extends Inbound>(
  inbound: readonly S[],
  most: number,
  newcomer: string,
): S | undefined {
  const byNetwork = new Map<string, S[]>();
  for (const session of inbound) {
    const network = networkOf(session.stream.remote.host);
    byNetwork.set(network, [...(byNetwork.get(network) ?? []), session]);
  }
  const own = byNetwork.get(networkOf(newcomer))?.length ?? 0;
  const [largest = []] = [...byNetwork.values()].sort((a, b) => b.length - a.length);
  return largest.length > Math.max(Math.ceil(most / SHARE), own + 1) ? largest.at(-1) : undefined;
}
