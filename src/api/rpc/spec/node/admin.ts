import { list, nothing, wire } from "../../../../protocol/codec/json/object.ts";
import { boolean, int, integer, small, string } from "../../../../protocol/codec/json/scalars.ts";
import { optional, required } from "../../../../protocol/codec/json/schema.ts";
import { method } from "../method.ts";
import { blockNumber } from "../values/block-ref.ts";
import { type ExactObject, exact } from "../values/exact-json.ts";
import type { WireObject } from "../values/wire-types.ts";

const peer = wire<WireObject>("PeerInfo", {
  type: "object",
  description: "Identity, addresses and protocols.",
});
const host = optional(string, "Address to listen on; default: as at launch.");
const int32 = integer("integer", { goType: "int32", min: -(2n ** 31n), max: 2n ** 31n - 1n });
const port = optional(small(int), "Port; default: as at launch.");
const cors = optional(string, "Origins of browser pages, separated by commas.");
const apis = optional(
  string,
  "Modules, separated by commas; those that were not enabled at launch stay off.",
);
const url = required(string, "kni:// URL of the peer.");

const startHttp = method({
  summary: "Starts the HTTP listener.",
  params: { host, port, cors, apis, vhosts: optional(string, "Host names, separated by commas.") },
  result: boolean,
  scope: "host",
});
const stopHttp = method({ summary: "Stops the HTTP listener.", params: {}, result: boolean, scope: "host" });

/** Administration of the node. */
export const admin = {
  nodeInfo: method({
    summary: "This node's identity, address, chain, and BLS public key with its proof of possession.",
    params: {},
    result: exact<ExactObject>("NodeInfo"),
    scope: "node",
  }),
  peers: method({
    summary: "The connected peers.",
    params: {},
    result: list(peer, "[]*p2p.PeerInfo"),
    scope: "node",
  }),
  addPeer: method({
    summary: "Keeps a connection to a peer.",
    params: { url },
    result: boolean,
    scope: "node",
  }),
  removePeer: method({
    summary: "Ends the connection to a peer.",
    params: { url },
    result: boolean,
    scope: "node",
  }),
  datadir: method({ summary: "The node's data folder.", params: {}, result: string, scope: "host" }),
  startHTTP: startHttp,
  startRPC: startHttp,
  stopHTTP: stopHttp,
  stopRPC: stopHttp,
  startWS: method({
    summary: "Starts the WebSocket listener.",
    params: { host, port, cors, apis },
    result: boolean,
    scope: "host",
  }),
  stopWS: method({ summary: "Stops the WebSocket listener.", params: {}, result: boolean, scope: "host" }),
  dashboardLink: method({
    summary: "A new link to the dashboard, which admits one browser; keep it out of logs.",
    params: {},
    result: string,
    scope: "host",
    errors: [
      { code: -32000, message: "no dashboard is served: start the node with --dashboard" },
      { code: -32000, message: "links to the dashboard are given out over IPC only" },
    ],
  }),
  backup: method({
    summary:
      "Copies the chain as it is now into a folder that a node can be started on; `kairn backup` checks the copy too.",
    params: {
      folder: required(
        string,
        "Over IPC, the absolute path of a folder that is new or empty; otherwise the bare name of a new one in the folder for dumps.",
      ),
    },
    result: boolean,
    scope: "host",
  }),
  exportChain: method({
    summary: "Writes blocks to a new file; with gzip when its name ends in .gz.",
    params: {
      file: required(string, "New file in the folder for dumps: a bare name."),
      first: optional(blockNumber, "Number of the first block; default 0."),
      last: optional(blockNumber, "Number of the last block; default latest."),
    },
    result: boolean,
    scope: "host",
  }),
  importChain: method({
    summary: "Checks, executes and adds the blocks of a file, plain or in gzip.",
    params: { file: required(string, "A file of the folder for dumps, or any path.") },
    result: boolean,
    scope: "host",
  }),
  importChainFromString: method({
    summary: "Checks, executes and adds blocks.",
    params: { blocks: required(string, "RLP of the blocks as hex, one after the other.") },
    result: boolean,
    scope: "host",
  }),
  setMaxSubscriptionPerWSConn: method({
    summary: "Sets the maximum number of subscriptions per connection.",
    params: { max: required(small(int32), "The number; from 0 on.") },
    result: nothing,
    scope: "host",
  }),
  nodeConfig: method({
    summary: "Configuration of the node: the members of the reference's for which this node has a value.",
    params: {},
    result: wire<WireObject>("NodeConfig", { type: "object" }),
    scope: "node",
  }),
  saveTrieNodeCacheToDisk: method({
    summary: "Does nothing: every committed block is on disk already.",
    params: {},
    result: nothing,
    scope: "node",
  }),
};
