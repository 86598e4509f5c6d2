import type { BlobVerifier } from "../../ledger/txpool/rules/blob-proofs.ts";
import type { ChainTransactionPool } from "../../ledger/txpool/transaction-pool.ts";
import { allowedBy } from "../../network/p2p/peers/allowed-networks.ts";
import { PeerFinder } from "../../network/p2p/peers/peer-finder.ts";
import { PeerNetwork } from "../../network/p2p/peers/peer-network.ts";
import { ConnectionType } from "../../network/p2p/session/open-session.ts";
import { CHAIN_PROTOCOL } from "../../network/p2p/wire/capabilities.ts";
import { ChainNetwork } from "../../network/sync/chain-network.ts";
import { NodesByHash } from "../../network/sync/nodes-by-hash.ts";
import type { Runtime } from "../../platform/runtime/runtime.ts";
import { systemDatagrams } from "../../platform/runtime/system/datagrams.ts";
import { systemNetwork } from "../../platform/runtime/system/network.ts";
import type { Logger } from "../../platform/telemetry/logger.ts";
import type { Instruments } from "../instruments/create-instruments.ts";
import type { NodeIdentity } from "../keys/node-identity.ts";
import type { NodeOptions } from "../node-options.ts";
import { networkOptions } from "../options/chain/network.ts";
import { type ValidatorLinks, validatorsOf } from "../sealing/validator-links.ts";
import type { Ledger } from "../storage/ledger.ts";
import { readNodeFile, readNodes } from "../storage/node-files.ts";
import { createDiscovery, wantedPeers } from "./discovery.ts";
import { type Peers, peersOf } from "./peer-control.ts";
import { listenForPeers, portError } from "./peer-port.ts";

const { p2pAddress, maxPeers, maxPendingPeers } = networkOptions;

/** Dependencies of a node's peers. */
export interface PeerParts {
  readonly identity: NodeIdentity;
  /** Private key of the node, 32 bytes. */
  readonly key: Uint8Array;
  readonly type: "cn" | "pn" | "en";
  readonly blobs: BlobVerifier;
  readonly links: ValidatorLinks;
  readonly instruments: Pick<Instruments, "peers" | "watchSync">;
  readonly ledger: Ledger;
  readonly pool: ChainTransactionPool;
  readonly options: NodeOptions;
  readonly runtime: Runtime;
  readonly logger: Logger;
}

/**
 * Listens for other nodes of the network, finds and dials them, and exchanges blocks and transactions with them.
 * @returns the peers, and the function that disconnects them all
 * @throws the error of a port in use
 */
export async function openPeers(
  parts: PeerParts,
): Promise<{ readonly peers: Peers; readonly stop: () => Promise<void> }> {
  const { identity, key, type, blobs, links, instruments, ledger, pool, options, runtime, logger } = parts;
  const { chain, importer, extensions } = ledger;
  const {
    port,
    host = p2pAddress.default,
    nodes = [],
    maxConnections = maxPeers.default,
    maxPending = maxPendingPeers.default,
  } = options.peers ?? {};
  const log = logger.child("p2p");
  const connectionType = ConnectionType[type];
  const discovery = createDiscovery({
    ...{ options, runtime, type, networkId: identity.networkId },
    ...{ key, logger: log.child("discover") },
  });
  const reservedForDials = discovery && type === "en" ? Math.floor(maxConnections / 3) : 0;
  const network = new PeerNetwork({
    own: { key, connectionType, name: identity.name, capabilities: CHAIN_PROTOCOL },
    ...{ network: systemNetwork, runtime, logger: log, traffic: instruments.peers.traffic },
    limits: { maxConnections, reservedForDials, maxPending },
    isAllowed: allowedBy(options.peers?.netRestrict ?? []),
    onSession: (session) => void chainNetwork.addSession(session),
  });
  const chainNetwork = new ChainNetwork({
    ...{ chain, importer, pool, connectionType, timers: runtime.timers, logger: log },
    served: {
      chain,
      nodes: new NodesByHash(ledger.store, chain),
      stakingAt: (number) => extensions.staking.at(number),
      sidecarAt: ({ blockNumber, transactionIndex, transactionHash }) =>
        extensions.sidecars.get(blockNumber, Number(transactionIndex)) ?? pool.get(transactionHash)?.sidecar,
    },
    sidecars: { table: extensions.sidecars, verifier: blobs, clock: runtime.clock },
    networkId: identity.networkId,
    watch: instruments.peers.messages,
    ...(type === "cn" && { validators: validatorsOf(ledger, links) }),
    ban: (session) => network.ban(session),
  });
  instruments.peers.watchSessions(() => network.sessions);
  instruments.watchSync(() => chainNetwork.synchroniser.progress()?.highestBlock);
  let finder: PeerFinder | undefined;
  const stop = async () => {
    finder?.close();
    await discovery?.close();
    await network.close();
    await chainNetwork.close();
  };
  try {
    if (port !== undefined) await listenForPeers(network, { host, port }, log);
    const { dataDir } = options;
    const own = (name: string) => (dataDir === undefined ? [] : readNodeFile(dataDir, name, log));
    for (const node of own("trusted-nodes.json")) network.trust(node);
    for (const node of [...own("static-nodes.json"), ...readNodes(nodes, "--nodes", log)]) network.add(node);
    if (discovery !== undefined) {
      const tcp = network.port ?? 0;
      const address = { host, port: tcp };
      await discovery.start(systemDatagrams, address, tcp).catch((error) => {
        throw portError(error, address, "UDP");
      });
      const wanted = wantedPeers(discovery, type, maxConnections);
      finder = new PeerFinder({ discovery, network, timers: runtime.timers, wanted, logger: log });
    }
  } catch (error) {
    await stop();
    throw error;
  }
  const advertised = { externalHost: options.peers?.externalHost, type };
  return { peers: peersOf(identity, chain, { network, chainNetwork, discovery, advertised }), stop };
}
