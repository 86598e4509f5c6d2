import type { Handlers } from "../../spec/method.ts";
import type { net } from "../../spec/node/net.ts";

/** Status of the peer-to-peer network. */
export interface NetworkStatus {
  /** Whether the node accepts connections of peers. */
  readonly listening: boolean;
  /** Connected peers by node type: `en`, `pn`, `cn`. */
  peerCounts(): Readonly<Record<string, number>>;
}

/** `net_*`. @param networkId not the chain id */
export function netHandlers(network: NetworkStatus, networkId: bigint): Handlers<typeof net> {
  const total = () => Object.values(network.peerCounts()).reduce((sum, count) => sum + count, 0);
  return {
    networkID: () => networkId.toString(),
    version: () => networkId.toString(),
    listening: () => network.listening,
    peerCount: () => BigInt(total()),
    peerCountByType: () => ({ en: 0, pn: 0, ...network.peerCounts(), total: total() }),
  };
}
