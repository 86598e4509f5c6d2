import { allowedBy } from "../../../network/p2p/peers/allowed-networks.ts";
import { PeerFinder } from "../../../network/p2p/peers/peer-finder.ts";
import { PeerNetwork } from "../../../network/p2p/peers/peer-network.ts";
import { ConnectionType } from "../../../network/p2p/session/open-session.ts";
import { CHAIN_PROTOCOL } from "../../../network/p2p/wire/capabilities.ts";
import { ChainNetwork } from "../../../network/sync/chain-network.ts";
import { NodesByHash } from "../../../network/sync/nodes-by-hash.ts";
import { systemDatagrams } from "../../../platform/runtime/system/datagrams.ts";
import { systemNetwork } from "../../../platform/runtime/system/network.ts";
import { createDiscovery, wantedPeers } from "../../peers/discovery.ts";
import { peersOf, withoutPeers } from "../../peers/peer-control.ts";
import { listenForPeers, portError } from "../../peers/peer-port.ts";
import { validatorsOf } from "../../sealing/istanbul.ts";
import { readNodeFile, readNodes } from "../../storage/node-files.ts";
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

/** Default number of peers, as in the reference. */
const MAX_CONNECTIONS = 10;

/** The other nodes of the network. A development chain has none. */
export const peers = part({
  name: "peers",
  needs: { blobs, cluster, consensus, development, instruments, ledger, nodeKey, pool, sealing },
  async start(
    { blobs, cluster, consensus, development, instruments, ledger, nodeKey, pool, sealing },
    { options, runtime, logger },
  ) {
    const { chain, importer, extensions } = ledger;
    const identity = {
      name: development ? devClientVersion() : clientVersion(),
      networkId: options.networkId ?? chain.config.chainId,
      nodeKey: nodeKey?.key,
      blsKey: nodeKey?.blsKey,
    };
    const isFed = cluster?.isFed === true;
    if (development !== undefined || nodeKey === undefined || isFed)
      return { offers: withoutPeers(identity, chain) };
    const { port, host = "::", nodes = [], maxConnections = MAX_CONNECTIONS } = options.peers ?? {};
    const log = logger.child("p2p");
    const { type } = sealing;
    const connectionType = ConnectionType[type];
    const discovery = createDiscovery({
      ...{ options, runtime, type, networkId: identity.networkId },
      ...{ key: nodeKey.key, logger: log.child("discover") },
    });
    const ownDials = discovery && type === "en" ? Math.floor(maxConnections / 3) : 0;
    const network = new PeerNetwork({
      own: { key: nodeKey.key, connectionType, name: identity.name, capabilities: CHAIN_PROTOCOL },
      ...{ network: systemNetwork, runtime, logger: log, traffic: instruments.peers.traffic },
      limits: { maxConnections, ownDials, maxPending: options.peers?.maxPending ?? 0 },
      isAllowed: allowedBy(options.peers?.netRestrict ?? []),
      onSession: (session) => void meeting.meet(session),
    });
    const meeting = new ChainNetwork({
      ...{ chain, importer, pool, connectionType, timers: runtime.timers, logger: log },
      served: {
        chain,
        nodes: new NodesByHash(ledger.store, chain),
        stakingAt: (number) => extensions.staking.at(number),
        sidecarAt: ({ blockNumber, transactionIndex, transactionHash }) =>
          extensions.sidecars.get(blockNumber, Number(transactionIndex)) ??
          pool.get(transactionHash)?.sidecar,
      },
      sidecars: { table: extensions.sidecars, verifier: blobs, clock: runtime.clock },
      networkId: identity.networkId,
      watch: instruments.peers.messages,
      ...(type === "cn" && { validators: validatorsOf(ledger, consensus.links) }),
      ban: (session) => network.ban(session),
    });
    instruments.peers.watchSessions(() => network.sessions);
    instruments.watchSync(() => meeting.synchroniser.progress()?.highestBlock);
    let finder: PeerFinder | undefined;
    const stop = async () => {
      finder?.close();
      await discovery?.close();
      await network.close();
      await meeting.close();
    };
    try {
      if (port !== undefined) await listenForPeers(network, { host, port }, log);
      const { dataDir } = options;
      const own = (name: string) => (dataDir === undefined ? [] : readNodeFile(dataDir, name, log));
      for (const node of own("trusted-nodes.json")) network.trust(node);
      for (const node of [...own("static-nodes.json"), ...readNodes(nodes, "--nodes", log)])
        network.add(node);
      if (discovery !== undefined) {
        const tcp = network.port ?? 0;
        const address = { host, port: tcp };
        await discovery.start(systemDatagrams, address, tcp).catch((error) => {
          throw portError(error, address, "UDP");
        });
        const wanted = wantedPeers(discovery, type, maxConnections);
        finder = new PeerFinder({ discovery, network, timers: runtime.timers, wanted });
      }
    } catch (error) {
      await stop();
      throw error;
    }
    const reached = { externalHost: options.peers?.externalHost, type };
    return { offers: peersOf(identity, chain, { network, meeting, discovery, reached }), stop };
  },
});
