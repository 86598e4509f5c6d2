import { isIP } from "node:net";
import type { AuthorizedNodes } from "../../../../network/p2p/discovery/authorized-nodes.ts";
import type { Discovery } from "../../../../network/p2p/discovery/discovery.ts";
import { type FoundNode, urlOf } from "../../../../network/p2p/discovery/found-node.ts";
import {
  formatNodeUrl,
  type NodeType,
  type NodeUrl,
  parseNodeUrl,
} from "../../../../network/p2p/node-url.ts";
import { refused } from "../../engine/errors.ts";
import type { Handlers } from "../../spec/method.ts";
import type { bootnode } from "../../spec/node/bootnode.ts";

/** Random nodes per response: the size of a bucket in the reference. */
const RANDOM_NODES = 16;
/** Time of the last answer for a node that has not answered a PING yet. */
const NEVER = 0;

/** `bootnode_*`, as in kbn of Kaia v2.2.1, except that `readRandomNodes` returns the nodes, where kbn always returns null. */
export function bootnodeHandlers(
  discovery: Discovery,
  authorized: AuthorizedNodes,
): Handlers<typeof bootnode> {
  return {
    name: () => "TableDiscovery",
    getAuthorizedNodes: () => listed([...authorized.nodes()].map(formatNodeUrl)),
    putAuthorizedNodes({ urls }) {
      for (const node of urlsIn(urls)) authorized.add(node);
      return null;
    },
    deleteAuthorizedNodes({ urls }) {
      for (const node of urlsIn(urls)) authorized.remove(node);
      return null;
    },
    async resolve({ id, type }) {
      const node = await discovery.resolve(id, type as NodeType);
      return node === undefined ? null : textOf(node);
    },
    lookup: async ({ id, type }) => texts(await discovery.lookup(type as NodeType, id)),
    readRandomNodes: ({ type }) => texts(discovery.known(type as NodeType, RANDOM_NODES)),
    getNodeFromDB({ id }) {
      const node = discovery.database.get(id);
      if (node === undefined) throw refused("failed to retrieve the node with the given id");
      return textOf(node);
    },
    createUpdateNodeOnDB({ url }) {
      discovery.database.add(reachable(readUrl(url)), NEVER);
      return null;
    },
    deleteNodeFromDB({ url }) {
      discovery.database.remove(readUrl(url).id);
      return null;
    },
    getTableEntries: () => texts(discovery.nodes()),
    getTableReplacements: () => texts(discovery.replacements()),
    createUpdateNodeOnTable({ url }) {
      const node = tryRead(url);
      if (node !== undefined) discovery.add(reachable(node));
      return null;
    },
    deleteNodeFromTable({ url }) {
      discovery.remove(readUrl(url).id);
      return null;
    },
  };
}

function texts(nodes: Iterable<FoundNode>): readonly string[] | null {
  return listed([...nodes].map(textOf));
}

/** The reference shows a list without entries as null. */
function listed(urls: readonly string[]): readonly string[] | null {
  return urls.length === 0 ? null : urls;
}

function textOf(node: FoundNode): string {
  return formatNodeUrl(urlOf(node));
}

/** @throws RpcError -32000 with the reference's text */
function readUrl(url: string): NodeUrl {
  try {
    return parseNodeUrl(url);
  } catch (error) {
    throw refused(error instanceof Error ? error.message : String(error));
  }
}

function tryRead(url: string): NodeUrl | undefined {
  try {
    return parseNodeUrl(url);
  } catch {
    return undefined;
  }
}

/** @throws RpcError -32000 with the reference's text for the first URL that cannot be read */
function urlsIn(text: string): readonly NodeUrl[] {
  return text.split(",").map((url) => {
    const node = tryRead(url);
    if (node === undefined) throw refused(`node url is wrong. url: ${url.slice(0, 200)}`);
    return node;
  });
}

/** @throws RpcError -32000 for a node that packets cannot be sent to */
function reachable({ id, host, udp, tcp, type }: NodeUrl): FoundNode {
  if (host === undefined || isIP(host) === 0 || udp === 0)
    throw refused("the URL names no IP address and port");
  return { id, host, udp, tcp, type };
}
