import { NodeType, type NodeUrl } from "../node-url.ts";
import { keyOf } from "./found-node.ts";

/** Maximum nodes per list. */
const MAX_NODES = 10_000;

/**
 * The nodes that a bootnode answers: an allowlist for consensus nodes and one for proxies. While a list is empty, all nodes of its type are
 * answered, otherwise only listed ones; endpoints and bootnodes always are.
 * @see networks/p2p/discover of Kaia v2.2.1, measured with kbn
 */
export class AuthorizedNodes {
  readonly #lists = new Map<number, Map<string, NodeUrl>>([
    [NodeType.cn, new Map()],
    [NodeType.pn, new Map()],
  ]);

  /** Adds a node to the list of its type; ignores types without a list. */
  add(node: NodeUrl): void {
    const list = this.#lists.get(node.type);
    if (list !== undefined && list.size < MAX_NODES) list.set(keyOf(node.id), node);
  }

  /** Removes a node from the list of its type. */
  remove({ id, type }: Pick<NodeUrl, "id" | "type">): void {
    this.#lists.get(type)?.delete(keyOf(id));
  }

  /** Whether a node of a type is answered. */
  has(id: Uint8Array, type: number): boolean {
    const list = this.#lists.get(type);
    return list === undefined || list.size === 0 || list.has(keyOf(id));
  }

  /** All listed nodes. */
  *nodes(): Iterable<NodeUrl> {
    for (const list of this.#lists.values()) yield* list.values();
  }
}
