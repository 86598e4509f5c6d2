import { EMPTY_ROOT } from "../../../protocol/account/account.ts";
import { encodeItem, type Item } from "../../../protocol/codec/rlp/item.ts";
import { keccak256 } from "../../../protocol/crypto/keccak.ts";
import { compareBytes, EMPTY_BYTES, type Hash } from "../../../protocol/primitives/bytes.ts";

type TrieEntry = readonly [key: Uint8Array, value: Uint8Array];

/**
 * Root of a trie from all its entries, by the definition in the Yellow Paper (appendix D). An independent check for tests:
 * it shares nothing with the state's tries but Keccak.
 */
export function rootOfEntries(entries: Iterable<TrieEntry>): Hash {
  const sorted = [...entries].sort(([a], [b]) => compareBytes(a, b));
  return sorted.length === 0 ? EMPTY_ROOT : keccak256(encodeItem(node(sorted, 0)));
}

function node(entries: readonly TrieEntry[], depth: number): Item {
  const [key, value] = entries[0] as TrieEntry;
  if (entries.length === 1) return [hexPrefix(key, depth, 64, true), value];
  const last = (entries.at(-1) as TrieEntry)[0];
  let shared = depth;
  while (nibble(key, shared) === nibble(last, shared)) shared++;
  if (shared > depth) return [hexPrefix(key, depth, shared, false), reference(node(entries, shared))];
  const children = Array.from({ length: 16 }, (_, n) => entries.filter(([k]) => nibble(k, depth) === n));
  const items = children.map((child) =>
    child.length === 0 ? EMPTY_BYTES : reference(node(child, depth + 1)),
  );
  return [...items, EMPTY_BYTES];
}

function reference(item: Item): Item {
  const rlp = encodeItem(item);
  return rlp.length < 32 ? item : keccak256(rlp);
}

function nibble(key: Uint8Array, index: number): number {
  return Number.parseInt(Buffer.from(key).toString("hex").charAt(index), 16);
}

function hexPrefix(key: Uint8Array, from: number, to: number, leaf: boolean): Uint8Array {
  const digits = Buffer.from(key).toString("hex").slice(from, to);
  const odd = digits.length % 2 === 1;
  const flag = ((leaf ? 2 : 0) + (odd ? 1 : 0)).toString();
  return Uint8Array.from(Buffer.from(odd ? flag + digits : `${flag}0${digits}`, "hex"));
}
