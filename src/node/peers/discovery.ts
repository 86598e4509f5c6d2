import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { join } from "node:path";
import { PUBLIC_BOOTNODES } from "../../network/p2p/bootnodes.ts";
import { Discovery } from "../../network/p2p/discovery/discovery.ts";
import type { FoundNode } from "../../network/p2p/discovery/found-node.ts";
import { NodeType, type NodeUrl } from "../../network/p2p/node-url.ts";
import { allowedBy } from "../../network/p2p/peers/allowed-networks.ts";
import type { WantedPeers } from "../../network/p2p/peers/peer-finder.ts";
import type { Runtime } from "../../platform/runtime/runtime.ts";
import type { Logger } from "../../platform/telemetry/logger.ts";
import { NodeError } from "../../protocol/primitives/errors.ts";
import type { NodeOptions, PeerOptions } from "../node-options.ts";
import { readNodes } from "../storage/node-files.ts";

/** Invalid discovery options. */
export class DiscoveryError extends NodeError<"DISCOVERY_TYPES"> {
  override name = "DiscoveryError";
}

/** File of discovered nodes in the data folder. */
const MEMORY_FILE = "discovered-nodes.json";
/** The node types that each type may discover. */
const ALLOWED_TYPES = { cn: ["cn"], pn: ["cn", "pn", "en"], en: ["cn", "pn", "en"] } as const;
/** The node types that each type discovers by default, as in the reference. */
const DEFAULT_TYPES = { cn: ["cn"], pn: ["pn", "en"], en: ["pn", "en"] } as const;

/** Type of a node with a chain. */
export type PeerType = keyof typeof DEFAULT_TYPES;

/** Dependencies of a node's discovery. */
export interface DiscoverySettings {
  readonly options: NodeOptions;
  readonly key: Uint8Array;
  readonly networkId: bigint;
  readonly type: PeerType;
  readonly runtime: Runtime;
  readonly logger: Logger;
}

/**
 * Creates discovery if there are bootnodes, configured or of a public network; otherwise none, and no UDP port is opened.
 * @throws DiscoveryError for types that a node of this type may not discover
 */
export function createDiscovery({
  options,
  key,
  networkId,
  type,
  runtime,
  logger,
}: DiscoverySettings): Discovery | undefined {
  const { peers = {} } = options;
  const types = typesOf(peers, type);
  const named = bootnodesOf(options, logger);
  if (peers.noDiscover || named.length === 0) return undefined;
  return new Discovery({
    ...{ key, networkId, runtime, logger, types },
    type: NodeType[type],
    bootnodes: () => resolveAll(named, logger),
    externalHost: peers.externalHost,
    isAllowed: allowedBy(peers.netRestrict ?? []),
    memory: options.dataDir === undefined ? undefined : fileMemory(options.dataDir, runtime),
  });
}

/** How many discovered nodes of each type a node connects to. */
export function wantedPeers(
  discovery: Discovery,
  type: PeerType,
  maxConnections: number,
): readonly WantedPeers[] {
  const third = Math.max(1, Math.floor(maxConnections / 3));
  const most: Readonly<Record<PeerType, number>> = {
    cn: type === "cn" ? 100 : 2,
    pn: type === "pn" ? 1 : 2,
    // Endpoint nodes dial proxies, not the reverse.
    en: type === "en" ? third : 0,
  };
  return (["cn", "pn", "en"] as const)
    .map((name) => ({ type: NodeType[name], most: most[name] }))
    .filter((wanted) => wanted.most > 0 && discovery.types.includes(wanted.type));
}

/** Resolves nodes that are given by host name. */
export async function resolveAll(nodes: readonly NodeUrl[], logger: Logger): Promise<readonly FoundNode[]> {
  const found = await Promise.all(nodes.map((node) => resolveOne(node, logger)));
  return found.filter((node) => node !== undefined);
}

/** Persists known nodes in a file of the data folder. */
export function fileMemory(dataDir: string, { files }: Pick<Runtime, "files">) {
  const file = join(dataDir, MEMORY_FILE);
  return {
    read: () => (files.exists(file) ? files.read(file) : undefined),
    write: (bytes: Uint8Array) => files.replace(file, bytes),
  };
}

/** @throws DiscoveryError */
function typesOf({ discoverTypes }: PeerOptions, own: PeerType): readonly NodeType[] {
  const types: readonly PeerType[] = discoverTypes ?? DEFAULT_TYPES[own];
  const may: readonly PeerType[] = ALLOWED_TYPES[own];
  for (const type of types) {
    if (may.includes(type)) continue;
    throw new DiscoveryError(
      "DISCOVERY_TYPES",
      `--discover-types ${type}: a node of type ${own} looks for ${may.join(", ")} only`,
    );
  }
  return types.map((type) => NodeType[type]);
}

function bootnodesOf({ peers, network, networkId }: NodeOptions, logger: Logger): readonly NodeUrl[] {
  const isPublic = network !== undefined && networkId === undefined;
  const named = peers?.bootnodes ?? (isPublic ? PUBLIC_BOOTNODES[network] : []);
  return readNodes(named, "--bootnodes", logger).map((node) =>
    node.type === NodeType.unknown ? { ...node, type: NodeType.bn } : node,
  );
}

async function resolveOne(
  { id, host, udp, tcp, type }: NodeUrl,
  logger: Logger,
): Promise<FoundNode | undefined> {
  if (host === undefined || udp === 0) return undefined;
  if (isIP(host) !== 0) return { id, host, udp, tcp, type };
  try {
    const { address } = await lookup(host);
    return { id, host: address, udp, tcp, type };
  } catch (error) {
    logger.warn("a bootnode's name cannot be resolved", { host, reason: String(error).slice(0, 200) });
    return undefined;
  }
}
