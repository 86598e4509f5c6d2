import { withoutPeers } from "../../peers/peer-control.ts";
import { clientVersion, devClientVersion } from "../../version.ts";
import { development } from "../development.ts";
import { instruments } from "../instruments.ts";
import { nodeKey } from "../node-key.ts";
import { part } from "../part.ts";
import { blobs } from "./blobs.ts";
import { cluster } from "./cluster.ts";
import { consensus } from "./consensus.ts";
import { ledger } from "./ledger.ts";
import { pool } from "./pool.ts";
import { sealing } from "./sealing.ts";

/** The other nodes of the network. A development chain has none. */
export const peers = part({
  name: "peers",
  needs: { blobs, cluster, consensus, development, instruments, ledger, nodeKey, pool, sealing },
  async start(
    { blobs, cluster, consensus, development, instruments, ledger, nodeKey, pool, sealing },
    { options, runtime, logger },
  ) {
    const { chain } = ledger;
    const identity = {
      name: development ? devClientVersion() : clientVersion(),
      networkId: options.networkId ?? chain.config.chainId,
      nodeKey: nodeKey?.key,
      blsKey: nodeKey?.blsKey,
    };
    const isFed = cluster?.isFed === true;
    if (development !== undefined || nodeKey === undefined || isFed) {
      const isDevelopment = development !== undefined || cluster === undefined;
      const role = isDevelopment ? "development chain" : `${cluster.status.role} of a change log`;
      return { offers: withoutPeers(identity, chain, role) };
    }
    const { openPeers } = await import("../../peers/open-peers.ts");
    const { peers, stop } = await openPeers({
      ...{ identity, key: nodeKey.key, type: sealing.type, links: consensus.links },
      ...{ blobs, instruments, ledger, pool, options, runtime, logger },
    });
    return { offers: peers, stop };
  },
});
