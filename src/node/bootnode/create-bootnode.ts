import { createRpc, type Rpc } from "../../api/rpc/create-rpc.ts";
import { Registry } from "../../api/rpc/engine/registry.ts";
import { bootnodeHandlers } from "../../api/rpc/handlers/node/bootnode.ts";
import { netHandlers } from "../../api/rpc/handlers/node/net.ts";
import { rpcHandlers } from "../../api/rpc/handlers/node/rpc.ts";
import { bootnodeNamespaces } from "../../api/rpc/spec/api.ts";
import { AuthorizedNodes } from "../../network/p2p/discovery/authorized-nodes.ts";
import { Discovery } from "../../network/p2p/discovery/discovery.ts";
import { formatNodeUrl, NodeType } from "../../network/p2p/node-url.ts";
import { allowedBy } from "../../network/p2p/peers/allowed-networks.ts";
import type { Datagrams, StreamAddress } from "../../platform/runtime/network.ts";
import type { Runtime } from "../../platform/runtime/runtime.ts";
import { watchedByMany } from "../../platform/runtime/signals.ts";
import type { Logger } from "../../platform/telemetry/logger.ts";
import type { NodeOptions } from "../node-options.ts";
import { fileMemory, resolveAll } from "../peers/discovery.ts";
import { portError } from "../peers/peer-port.ts";
import { createNodeBudget } from "../service/endpoints/budget.ts";
import { checkExposure } from "../service/endpoints/exposure.ts";
import { ipcPathOf } from "../service/endpoints/ipc-path.ts";
import { Listeners } from "../service/endpoints/listeners.ts";
import { readNodes } from "../storage/node-files.ts";
import { clientVersion } from "../version.ts";

/** Default network id, as in kbn. */
const DEFAULT_NETWORK_ID = 1n;

/** Dependencies of a bootnode. */
export interface BootnodeOptions {
  /** Private key, 32 bytes. */
  readonly key: Uint8Array;
  /** UDP address that nodes contact. */
  readonly address: StreamAddress;
  /** Allowlist of consensus nodes and proxies, as `kni://` URLs; empty = all. */
  readonly authorized: readonly string[];
  /** Network, listeners, data folder and restrictions, as for a node. */
  readonly node: Pick<
    NodeOptions,
    "networkId" | "dataDir" | "peers" | "http" | "ws" | "ipc" | "allowExposed"
  >;
  readonly datagrams: Datagrams;
  readonly runtime: Runtime;
  readonly logger: Logger;
}

/** A running bootnode. */
export interface Bootnode extends AsyncDisposable {
  /** The announced URL; `[::]` stands for the address as seen by others. */
  readonly url: string;
  /** UDP port. */
  readonly port: number;
  readonly provider: Rpc["provider"];
  readonly endpoints: Listeners["addresses"];
  stop(): Promise<void>;
}

/**
 * Starts a bootnode: a node without a chain that lets other nodes discover each other.
 * @throws PeerPortError, ExposureError; Error of the system
 */
export async function createBootnode(options: BootnodeOptions): Promise<Bootnode> {
  const { key, address, node, datagrams, runtime, logger } = options;
  await checkExposure(node, false);
  const { networkId = DEFAULT_NETWORK_ID, peers = {}, dataDir } = node;
  const authorized = new AuthorizedNodes();
  for (const listed of readNodes(options.authorized, "--authorized-nodes", logger)) authorized.add(listed);
  const others = readNodes(peers.bootnodes ?? [], "--bootnodes", logger).map((url) => ({
    ...url,
    type: NodeType.bn,
  }));
  const discovery = new Discovery({
    ...{ key, networkId, runtime, logger: logger.child("discover") },
    ...{ type: NodeType.bn, types: [NodeType.cn, NodeType.pn, NodeType.en] },
    ...{ externalHost: peers.externalHost, isAllowed: allowedBy(peers.netRestrict ?? []) },
    isAuthorized: (id, type) => authorized.has(id, type),
    bootnodes: () => resolveAll(others, logger),
    memory: dataDir === undefined ? undefined : fileMemory(dataDir, runtime),
  });
  const stopped = watchedByMany(new AbortController());
  const log = logger.child("rpc");
  const status = { listening: true, peerCounts: () => ({}) };
  const registry = new Registry().serve(bootnodeNamespaces, {
    bootnode: bootnodeHandlers(discovery, authorized),
    net: netHandlers(status, networkId),
    rpc: rpcHandlers(clientVersion()),
  });
  const rpc = createRpc(
    registry,
    stopped.signal,
    (method, error) => log.error("a method failed", { method, error }),
    { budget: createNodeBudget() },
  );
  const listeners = new Listeners(() => rpc, {
    ...{ options: node, logger: log, wallets: { wallets: () => [] }, hasDevelopmentKeys: false },
  });
  const stop = async (): Promise<void> => {
    stopped.abort();
    await listeners.close();
    await discovery.close();
  };
  try {
    await discovery.start(datagrams, address, 0).catch((error) => {
      throw portError(error, address, "UDP", "--bnaddr");
    });
    await listeners.launch(ipcPathOf(node));
  } catch (error) {
    await stop();
    throw error;
  }
  const { port, ownId: id } = discovery;
  const host = peers.externalHost ?? address.host;
  return {
    url: formatNodeUrl({ id, host, tcp: port, udp: port, subports: [], type: NodeType.bn }),
    ...{ port, provider: rpc.provider, endpoints: listeners.addresses, stop },
    [Symbol.asyncDispose]: stop,
  };
}
