import type { AccountRecord, StateView } from "../../../../ledger/state/state.ts";
import { type ListedNode, listNodes, type TrieLeaf } from "../../../../ledger/state/trie/list-nodes.ts";
import { EMPTY_CODE_HASH } from "../../../../protocol/account/account.ts";
import { encodeAccount } from "../../../../protocol/account/account-codec.ts";
import type { Json } from "../../../../protocol/codec/json/value.ts";
import { encodeItem } from "../../../../protocol/codec/rlp/item.ts";
import {
  compareBytes,
  equalBytes,
  type Hash,
  isZeroBytes,
  ZERO_HASH,
} from "../../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import type { WireObject } from "../../spec/wire-types.ts";

/** Every account with code and storage, by address. */
export function dumpAccounts(view: StateView, root: Hash): WireObject {
  const records = [...view.accounts()].sort((a, b) => compareBytes(a.address, b.address));
  const accounts = records.map((record) => [bare(record.address), dumpAccount(view, record)]);
  return { root: bare(root), accounts: Object.fromEntries(accounts) as Json };
}

function dumpAccount(view: StateView, { address, account }: AccountRecord): Json {
  const slots = [...view.slots(address)].sort((a, b) => compareBytes(a.slot, b.slot));
  return {
    balance: account.balance.toString(),
    nonce: Number(account.nonce),
    root: bare(account.storageRoot),
    codeHash: bare(account.codeHash),
    code: bare(view.code(account.codeHash)),
    storage: Object.fromEntries(slots.map(({ slot, value }) => [bare(slot), bare(encodeItem(value))])),
  };
}

/** Every node of the state trie, with those of the storage tries and the codes where their accounts stand. */
export function dumpTrie(view: StateView, root: Hash): WireObject {
  const records = [...view.accounts()];
  const tries: Json[] = [];
  let parent: Hash = root;
  for (const node of listNodes(records.map(accountLeaf))) {
    if (node.leaf === undefined) tries.push(show("state", node));
    else {
      parent = node.parent;
      tries.push(
        ...dumpContents(view, records[node.leaf] as AccountRecord, parent),
        show("state_leaf", node),
      );
    }
  }
  return { root: bytesToHex(root), tries };
}

/** The nodes of an account's storage, then its code. */
function* dumpContents(view: StateView, { address, account }: AccountRecord, parent: Hash): Generator<Json> {
  const leaves = [...view.slots(address)].map(({ hash, value }) => ({ key: hash, value: encodeItem(value) }));
  // The reference shows the root of an empty trie, without a hash.
  if (leaves.length === 0) yield show("storage", { hash: ZERO_HASH, parent, path: "" });
  for (const node of listNodes(leaves)) {
    const shown = isZeroBytes(node.parent) ? { ...node, parent } : node;
    yield show(node.leaf === undefined ? "storage" : "storage_leaf", shown);
  }
  if (!equalBytes(account.codeHash, EMPTY_CODE_HASH))
    yield show("code", { hash: account.codeHash, parent, path: "" });
}

function accountLeaf({ hash, account }: AccountRecord): TrieLeaf {
  return { key: hash, value: encodeAccount(account) };
}

function show(type: string, { hash, parent, path }: ListedNode): Json {
  return { type, hash: bytesToHex(hash), parent: bytesToHex(parent), path: `0x${path}` };
}

function bare(bytes: Uint8Array): string {
  return bytesToHex(bytes).slice(2);
}
