import { isIP } from "node:net";
import { parseNetwork } from "../../../network/p2p/peers/allowed-networks.ts";
import * as t from "../../../platform/config/types.ts";
import { nodeOption } from "../member.ts";

/** Port on which the reference node listens. */
export const DEFAULT_PEER_PORT = 32_323;

/** Networks in CIDR form. */
export const networks: t.OptionType<readonly string[]> = {
  placeholder: "CIDR,...",
  accepts: {
    what: "a list of networks like 10.0.0.0/8",
    test: (value) => t.isListOf(value, (one) => typeof one === "string" && parseNetwork(one) !== undefined),
  },
  parse(text) {
    const listed = t.list.parse(text);
    for (const network of listed) {
      if (parseNetwork(network) === undefined) throw new Error("a list of networks like 10.0.0.0/8");
    }
    return listed;
  },
};

type PeerType = "cn" | "pn" | "en";
const PEER_TYPES: readonly PeerType[] = ["cn", "pn", "en"];

const discoverTypes: t.OptionType<"auto" | readonly PeerType[]> = {
  placeholder: "auto|TYPE,...",
  accepts: {
    what: "a list of cn, pn and en",
    test: (value) => t.isListOf(value, (one) => PEER_TYPES.some((type) => type === one)),
  },
  parse(text) {
    if (text === "auto") return "auto";
    return t.list.parse(text).map((word) => {
      const type = PEER_TYPES.find((one) => one === word.toLowerCase());
      if (type === undefined) throw new Error("auto, or a list of cn, pn and en");
      return type;
    });
  },
};

const EXTERNAL_IP = "extip:";

const nat: t.OptionType<string> = {
  placeholder: "none|extip:IP",
  accepts: { what: "an IP address", test: (value) => typeof value === "string" && isIP(value) !== 0 },
  parse(text) {
    const isAddress = text.startsWith(EXTERNAL_IP) && isIP(text.slice(EXTERNAL_IP.length)) !== 0;
    if (text !== "none" && !isAddress) throw new Error("none, or extip: and an IP address");
    return text;
  },
};

/** How the node connects to other nodes. */
export const networkOptions = {
  p2pPort: nodeOption({
    member: "peers.port",
    flag: "port",
    env: ["PORT"],
    type: t.port,
    default: DEFAULT_PEER_PORT,
    doc: "TCP port on which peers connect; 0 picks a free one, as happens when the default is in use.",
  }),
  p2pAddress: nodeOption({
    member: "peers.host",
    flag: "p2p.addr",
    env: ["P2P_ADDR"],
    type: t.host,
    default: "::",
    doc: "Address on which peers connect; 127.0.0.1 keeps other machines out.",
  }),
  nodeType: nodeOption({
    member: "peers.nodeType",
    flag: "nodetype",
    env: ["NODE_TYPE"],
    type: t.oneOf("cn", "pn", "en"),
    default: undefined,
    doc: "Node type announced to peers: consensus node, proxy or endpoint; by default cn if the node seals, else en.",
  }),
  maxPeers: nodeOption({
    member: "peers.maxConnections",
    flag: "maxconnections",
    env: ["MAX_CONNECTIONS"],
    type: t.integer(0, 1_000),
    default: 10,
    doc: "Maximum number of peers; static and trusted ones are not counted.",
  }),
  maxPendingPeers: nodeOption({
    member: "peers.maxPending",
    flag: "maxpendpeers",
    env: ["MAX_PEND_PEERS"],
    type: t.integer(0, 1_000),
    default: 0,
    doc: "Maximum number of connections in the handshake; 0 = 50.",
  }),
  netRestrict: nodeOption({
    member: "peers.netRestrict",
    flag: "netrestrict",
    env: ["NET_RESTRICT"],
    type: networks,
    default: undefined,
    doc: "Networks in CIDR notation (10.0.0.0/8,…) to which peers are restricted.",
  }),
  bootnodes: nodeOption({
    member: "peers.bootnodes",
    flag: "bootnodes",
    env: ["BOOTNODES"],
    type: { ...t.list, placeholder: "URL,..." },
    default: undefined,
    doc: "Bootnodes (kni://…); by default those of --mainnet or --testnet, otherwise none, and no discovery.",
  }),
  noDiscover: nodeOption({
    member: "peers.noDiscover",
    flag: "nodiscover",
    env: ["NO_DISCOVER"],
    type: t.boolean,
    default: false,
    doc: "Disables discovery; no UDP port is opened.",
  }),
  discoverTypes: nodeOption({
    member: "peers.discoverTypes",
    flag: "discover-types",
    env: ["DISCOVER_TYPES"],
    type: discoverTypes,
    default: "auto",
    doc: "Node types to discover; auto: cn for a cn, else pn and en.",
    as: (types) => (types === "auto" ? undefined : types),
  }),
  nat: nodeOption({
    member: "peers.externalHost",
    flag: "nat",
    env: ["NAT"],
    type: nat,
    default: "none",
    doc: "External address announced to other nodes: extip:IP, or none if it is the one they see.",
    as: (text) => (text === "none" ? undefined : text.slice(EXTERNAL_IP.length)),
  }),
} as const;
