import { NodeType, type NodeUrl } from "../node-url.ts";
import { keyOf } from "./found-node.ts";

/** Nodes that one list names at the most. */
const MAX_NODES = 10_000;

/**
 * Whom a bootnode answers: a list for each of the types of which a network has few. Without any entry of a type all nodes of
 * that type are answered, with one only those that are listed; endpoints and bootnodes always are.
 * @see networks/p2p/discover of Kaia v2.2.1, measured with kbn
 */
export class AuthorizedNodes {
  readonly #lists = new Map<number, Map<string, NodeUrl>>([
    [NodeType.cn, new Map()],
    [NodeType.pn, new Map()],
  ]);

  /** Lists a node; one of a type without a list is passed over. */
  add(node: NodeUrl): void {
    const list = this.#lists.get(node.type);
    if (list !== undefined && list.size < MAX_NODES) list.set(keyOf(node.id), node);
  }

  /** Takes a node off the list of its type. */
  remove({ id, type }: Pick<NodeUrl, "id" | "type">): void {
    this.#lists.get(type)?.delete(keyOf(id));
  }

  /** Whether a node of a type is answered. */
  has(id: Uint8Array, type: number): boolean {
    const list = this.#lists.get(type);
    return list === undefined || list.size === 0 || list.has(keyOf(id));
  }

  /** All nodes that are listed. */
  *nodes(): Iterable<NodeUrl> {
    for (const list of this.#lists.values()) yield* list.values();
  }
}
