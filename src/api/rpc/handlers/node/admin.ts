import { leadingHexBytes } from "../../../../protocol/primitives/hex.ts";
import { refused } from "../../engine/errors.ts";
import type { Handlers } from "../../spec/method.ts";
import type { admin } from "../../spec/node/admin.ts";
import type { BlockNumber } from "../../spec/values/block-ref.ts";
import type { ExactObject } from "../../spec/values/exact-json.ts";
import type { WireObject } from "../../spec/values/wire-types.ts";
import { fileRefusal } from "../debug/null-after.ts";
import type { ListenerControls, ListenRequest } from "./listener-control.ts";

/** Peer connections. */
export interface PeerControl {
  /** The identity of this node for others. */
  nodeInfo(): Promise<ExactObject>;
  peers(): readonly WireObject[];
  /** @throws RpcError -32000 for a malformed URL */
  addPeer(url: string): void;
  removePeer(url: string): void;
}

/** Chain files, and encoded blocks from callers. */
export interface ChainFiles {
  /**
   * Copies the chain into a folder, which is created or empty.
   * @param folder - absolute path, or a bare name in the folder for dumps
   * @param mayLeave - whether the folder may lie outside the one for dumps
   */
  backup(folder: string, mayLeave: boolean): Promise<void>;
  /** @throws if the file exists, lies outside the folder for dumps, or cannot be written */
  export(file: string, first: bigint, last: bigint): Promise<void>;
  /** @param mayLeave - whether the file may lie outside the folder for dumps */
  import(file: string, mayLeave: boolean): Promise<void>;
  /** @param blocks - RLP of blocks, one after the other */
  importBytes(blocks: Uint8Array): Promise<void>;
}

/** What the admin methods operate on. */
export interface AdminDeps {
  readonly listeners: ListenerControls;
  readonly peers: PeerControl;
  readonly files: ChainFiles;
  /** Absolute path; empty for a node in memory. */
  readonly dataDir: string;
  readonly head: () => bigint;
  /** A new link to the dashboard; undefined where there is none. */
  readonly dashboardLink: () => string | undefined;
  /** The configuration of the node, under the reference's names. */
  readonly config: () => WireObject;
  /** @param max - subscriptions that one connection may have */
  limitSubscriptions(max: number): void;
}

/** The admin namespace. */
export function adminHandlers(deps: AdminDeps): Handlers<typeof admin> {
  const { listeners, peers, files, dataDir, head, limitSubscriptions, config } = deps;
  const startHttp = async ({ vhosts, ...request }: WrittenRequest & { readonly vhosts?: string }) => {
    const asked = { ...listenRequest(request), virtualHosts: listed(vhosts) };
    await fileRefusals(listeners.http.start(asked));
    return true;
  };
  const stopHttp = () => {
    listeners.http.stop();
    return true;
  };
  return {
    nodeInfo: () => peers.nodeInfo(),
    peers: () => peers.peers(),
    addPeer({ url }) {
      peers.addPeer(url);
      return true;
    },
    removePeer({ url }) {
      peers.removePeer(url);
      return true;
    },
    datadir: () => dataDir,
    nodeConfig: config,
    startHTTP: startHttp,
    startRPC: startHttp,
    stopHTTP: stopHttp,
    stopRPC: stopHttp,
    async startWS(request) {
      await fileRefusals(listeners.ws.start(listenRequest(request)));
      return true;
    },
    stopWS() {
      listeners.ws.stop();
      return true;
    },
    dashboardLink(_, { access }) {
      // The link gives access to keys, so it stays local even where host methods are served on a port.
      if (access.local !== true) throw refused("links to the dashboard are given out over IPC only");
      const link = deps.dashboardLink();
      if (link === undefined) throw refused("no dashboard is served: start the node with --dashboard");
      return link;
    },
    async backup({ folder }, { access }) {
      await fileRefusals(files.backup(folder, access.local === true));
      return true;
    },
    async exportChain({ file, first, last }) {
      if (first === undefined && last !== undefined) throw refused("last cannot be specified without first");
      const number = (tagged: BlockNumber) => (typeof tagged === "bigint" ? tagged : head());
      await fileRefusals(files.export(file, number(first ?? 0n), number(last ?? "latest")));
      return true;
    },
    async importChain({ file }, { access }) {
      await fileRefusals(files.import(file, access.local === true));
      return true;
    },
    async importChainFromString({ blocks }) {
      await files.importBytes(leadingHexBytes(blocks));
      return true;
    },
    setMaxSubscriptionPerWSConn({ max }) {
      limitSubscriptions(Math.max(0, max));
      return null;
    },
    saveTrieNodeCacheToDisk: () => null,
  };
}

/** A listener as callers specify it: lists as text. */
interface WrittenRequest {
  readonly host?: string;
  readonly port?: number;
  readonly cors?: string;
  readonly apis?: string;
}

function listenRequest({ host, port, cors, apis }: WrittenRequest): ListenRequest {
  return { host, port, origins: listed(cors), modules: listed(apis) };
}

function listed(text: string | undefined): readonly string[] | undefined {
  return text?.split(",").map((part) => part.trim());
}

/** Errors of files and ports are reported to the caller. */
async function fileRefusals(action: Promise<void>): Promise<void> {
  try {
    await action;
  } catch (error) {
    throw fileRefusal(error);
  }
}
