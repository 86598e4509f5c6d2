import type { PinnedState } from "../../../../../ledger/state/pinned-state.ts";
import type { AccountRecord, SlotRecord } from "../../../../../ledger/state/state.ts";
import {
  type ListedNode,
  listNodesInSteps,
  type TrieLeaf,
} from "../../../../../ledger/state/trie/list-nodes.ts";
import { mergeSort } from "../../../../../platform/runtime/merge-sort.ts";
import { type Pace, runPaced } from "../../../../../platform/runtime/turns/pace.ts";
import { EMPTY_CODE_HASH, hasStorage } from "../../../../../protocol/account/account.ts";
import { encodeAccount } from "../../../../../protocol/account/account-codec.ts";
import { encodeItem } from "../../../../../protocol/codec/rlp/item.ts";
import {
  compareBytes,
  equalBytes,
  type Hash,
  isZeroBytes,
  ZERO_HASH,
} from "../../../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../../../protocol/primitives/hex.ts";
import { BoundedText, MAX_RESPONSE_LENGTH, responseTooLarge } from "../../../engine/text/bounded-text.ts";
import type { Draft } from "../../../engine/text/draft.ts";
import { JsonText } from "../../../spec/values/json-text.ts";

/** Shortest text of an account or of a slot, which bounds how many records can fit. */
const MIN_LENGTH = 70;
const MAX_RECORDS = MAX_RESPONSE_LENGTH / MIN_LENGTH;

/** The pace of a dump, and the draft that counts its bytes. */
interface Reading {
  readonly pace: Pace;
  readonly draft: Draft;
}

/** Every account with code and storage, by address. */
export async function dumpAccounts(
  state: PinnedState,
  root: Hash,
  { pace, draft }: Reading,
): Promise<JsonText> {
  const accounts = await collect(state.accounts());
  const text = new BoundedText(draft);
  text.add(`{"root":"${bare(root)}","accounts":{`);
  let comma = "";
  for await (const record of inTurns(pace, mergeSort(accounts, byAddress))) {
    text.add(`${comma}"${bare(record.address)}":`);
    await dumpAccount(state, record, text, pace);
    comma = ",";
  }
  text.add("}}");
  return jsonText(text);
}

async function dumpAccount(
  state: PinnedState,
  { address, account }: AccountRecord,
  text: BoundedText,
  pace: Pace,
): Promise<void> {
  const { balance, nonce, storageRoot, codeHash } = account;
  text.add(`{"balance":"${balance}","nonce":${nonce},"root":"${bare(storageRoot)}"`);
  text.add(`,"codeHash":"${bare(codeHash)}","code":"${bare(state.view.code(codeHash))}","storage":{`);
  let comma = "";
  const slots = hasStorage(account) ? await collect(state.slots(address)) : [];
  for await (const { slot, value } of inTurns(pace, mergeSort(slots, bySlot))) {
    text.add(`${comma}"${bare(slot)}":"${bare(encodeItem(value))}"`);
    comma = ",";
  }
  text.add("}}");
}

/** Every node of the state trie; storage tries and code appear next to their accounts. */
export async function dumpTrie(state: PinnedState, root: Hash, { pace, draft }: Reading): Promise<JsonText> {
  const records = await collect(state.accounts());
  const text = new BoundedText(draft);
  text.add(`{"root":"${bytesToHex(root)}","tries":[`);
  let comma = "";
  const show = (type: string, node: ListedNode) => {
    text.add(comma + shownNode(type, node));
    comma = ",";
  };
  let parent: Hash = root;
  for await (const node of inTurns(pace, listNodesInSteps(records.map(accountLeaf)))) {
    if (node.leaf === undefined) show("state", node);
    else {
      parent = node.parent;
      const record = records[node.leaf] as AccountRecord;
      for (const [type, inner] of await contentsOf(state, record, parent, pace)) show(type, inner);
      show("state_leaf", node);
    }
  }
  text.add("]}");
  return jsonText(text);
}

/** The nodes of an account's storage, then its code. */
async function contentsOf(
  state: PinnedState,
  { address, account }: AccountRecord,
  parent: Hash,
  pace: Pace,
): Promise<(readonly [type: string, node: ListedNode])[]> {
  const shown: (readonly [string, ListedNode])[] = [];
  const slots = hasStorage(account) ? await collect(state.slots(address)) : [];
  // The reference shows the root of an empty trie, without a hash.
  if (slots.length === 0) shown.push(["storage", { hash: ZERO_HASH, parent, path: "" }]);
  for await (const node of inTurns(pace, listNodesInSteps(slots.map(slotLeaf)))) {
    const type = node.leaf === undefined ? "storage" : "storage_leaf";
    shown.push([type, isZeroBytes(node.parent) ? { ...node, parent } : node]);
  }
  if (!equalBytes(account.codeHash, EMPTY_CODE_HASH))
    shown.push(["code", { hash: account.codeHash, parent, path: "" }]);
  return shown;
}

/** The results of the steps, one by one; producing and traversing them yields to other work. */
async function* inTurns<T>(pace: Pace, steps: Iterator<void, Iterable<T>>): AsyncGenerator<T> {
  for (const item of await runPaced(pace, steps)) {
    if (pace.isDue()) await pace.yield();
    yield item;
  }
}

const byAddress = (a: AccountRecord, b: AccountRecord): number => compareBytes(a.address, b.address);
const bySlot = (a: SlotRecord, b: SlotRecord): number => compareBytes(a.slot, b.slot);

/** @throws RpcError -32003 when they cannot fit into the response */
async function collect<T>(parts: AsyncIterable<readonly T[]>): Promise<T[]> {
  const all: T[] = [];
  for await (const part of parts) {
    if (all.length + part.length > MAX_RECORDS) throw responseTooLarge();
    for (const record of part) all.push(record);
  }
  return all;
}

function accountLeaf({ hash, account }: AccountRecord): TrieLeaf {
  return { key: hash, value: encodeAccount(account) };
}

function slotLeaf({ hash, value }: SlotRecord): TrieLeaf {
  return { key: hash, value: encodeItem(value) };
}

function shownNode(type: string, { hash, parent, path }: ListedNode): string {
  return `{"type":"${type}","hash":"${bytesToHex(hash)}","parent":"${bytesToHex(parent)}","path":"0x${path}"}`;
}

function jsonText(text: BoundedText): JsonText {
  return new JsonText(text.finish());
}

function bare(bytes: Uint8Array): string {
  return bytesToHex(bytes).slice(2);
}
