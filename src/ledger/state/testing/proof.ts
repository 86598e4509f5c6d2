import { EMPTY_ROOT } from "../../../protocol/account/account.ts";
import { decodeItem, encodeItem, type Item } from "../../../protocol/codec/rlp/item.ts";
import { keccak256 } from "../../../protocol/crypto/keccak.ts";
import { equalBytes, type Hash } from "../../../protocol/primitives/bytes.ts";

/**
 * Verifies a Merkle proof as a light client would.
 * @returns the leaf's value, undefined if the proof shows absence
 * @throws Error when a node does not hash to its reference or nodes are left over
 */
export function followProof(
  root: Hash,
  key: Uint8Array,
  proof: readonly Uint8Array[],
): Uint8Array | undefined {
  if (proof.length === 0 && equalBytes(root, EMPTY_ROOT)) return undefined;
  const nodes = [...proof];
  const load = (ref: Item): Item => {
    if (!(ref instanceof Uint8Array)) return ref;
    const node = nodes.shift();
    if (!node || !equalBytes(keccak256(node), ref)) throw new Error("a node does not hash to its reference");
    return decodeItem(node);
  };
  const value = follow(load(root), Buffer.from(key).toString("hex"), load);
  if (nodes.length > 0) throw new Error("nodes are left over");
  return value;
}

function follow(node: Item, path: string, load: (ref: Item) => Item): Uint8Array | undefined {
  const items = node as readonly Item[];
  if (items.length === 17) {
    const child = items[Number.parseInt(path.charAt(0), 16)] as Item;
    const isEmpty = child instanceof Uint8Array && child.length === 0;
    return isEmpty ? undefined : follow(load(child), path.slice(1), load);
  }
  const [prefix, next] = items as [Uint8Array, Item];
  const hex = Buffer.from(prefix).toString("hex");
  const flag = Number(hex.charAt(0));
  const skipped = hex.slice(flag & 1 ? 1 : 2);
  if (!path.startsWith(skipped)) return undefined;
  return flag & 2 ? (next as Uint8Array) : follow(load(next), path.slice(skipped.length), load);
}

/** Leaf value of a slot: RLP of its value; undefined for none. */
export const slotLeafOf = (value: Uint8Array | undefined): Uint8Array | undefined =>
  value && encodeItem(value);
