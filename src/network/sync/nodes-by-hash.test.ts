import { beforeAll, expect, it } from "vitest";
import type { StateStore } from "../../ledger/state/state.ts";
import { EMPTY_CODE_HASH, EMPTY_ROOT } from "../../protocol/account/account.ts";
import { decodeAccount } from "../../protocol/account/account-codec.ts";
import { decodeItem, type Item } from "../../protocol/codec/rlp/item.ts";
import { keccak256 } from "../../protocol/crypto/keccak.ts";
import { bytesToHex, type Hex, hexToBytes } from "../../protocol/primitives/hex.ts";
import {
  openRecorded,
  type RecordedChain,
  readFixture,
  recordedBlocks,
} from "../consensus/testing/recorded-chain.ts";
import { NodesByHash } from "./nodes-by-hash.ts";

const pace = { isDue: () => true, yield: async () => {} };
let recorded: RecordedChain;

beforeAll(async () => {
  recorded = await openRecorded(readFixture("all-types/genesis.json").toString());
  for (const block of recordedBlocks("all-types")) await recorded.insert(block);
  await recorded.chain.published();
}, 120_000);

/** The hashes that a node refers to, the nodes embedded in it included; of accounts those of storage and code. */
function* references(item: Item, isStorage: boolean): Generator<{ hash: Hex; isStorage: boolean }> {
  const items = item as readonly Item[];
  if (items.length === 17) {
    for (const child of items.slice(0, 16)) {
      if (!(child instanceof Uint8Array)) yield* references(child, isStorage);
      else if (child.length > 0) yield { hash: bytesToHex(child), isStorage };
    }
    return;
  }
  const [path, value] = items as [Uint8Array, Item];
  const isLeaf = ((path[0] as number) & 0x20) !== 0;
  if (!isLeaf && value instanceof Uint8Array) yield { hash: bytesToHex(value), isStorage };
  else if (!isLeaf) yield* references(value, isStorage);
  else if (!isStorage) {
    const { storageRoot, codeHash } = decodeAccount(value as Uint8Array);
    yield { hash: bytesToHex(storageRoot), isStorage: true };
    yield { hash: bytesToHex(codeHash), isStorage: true };
  }
}

/** Fetches a state as a fast synchronisation does: from the root, then whatever each response refers to. */
async function walk(nodes: NodesByHash, root: Uint8Array): Promise<{ nodes: number; leaves: number }> {
  const known = new Set([EMPTY_ROOT, EMPTY_CODE_HASH].map(bytesToHex));
  const codes = new Set(recordedCodes());
  let wanted = [{ hash: bytesToHex(root), isStorage: false }];
  let leaves = 0;
  while (wanted.length > 0) {
    const asked = wanted.splice(0, 100);
    const answer = await nodes.find(
      asked.map(({ hash }) => hexToBytes(hash)),
      pace,
    );
    expect(answer.map((node) => bytesToHex(keccak256(node)))).toEqual(asked.map(({ hash }) => hash));
    for (const [i, node] of answer.entries()) {
      const { hash, isStorage } = asked[i] as (typeof asked)[number];
      known.add(hash);
      if (codes.has(hash)) continue;
      const item = decodeItem(node) as readonly Item[];
      if (item.length === 2 && ((item[0] as Uint8Array)[0] as number) & 0x20) leaves += isStorage ? 0 : 1;
      for (const next of references(item, isStorage))
        if (!known.has(next.hash) && !wanted.some(({ hash: one }) => one === next.hash)) wanted.push(next);
    }
    wanted = wanted.filter(({ hash }) => !known.has(hash));
  }
  return { nodes: known.size - 2, leaves };
}

function* recordedCodes(): Generator<Hex> {
  for (const { account } of recorded.store.latest().accounts()) yield bytesToHex(account.codeHash);
}

it.each([0, 60, 107])(
  "serves the whole state after block %i to a peer that walks it from its root",
  async (number) => {
    const { store, chain } = recorded;
    const { stateRoot } = chain.header(BigInt(number)) as { stateRoot: Uint8Array };
    const { leaves, nodes } = await walk(new NodesByHash(store, chain), stateRoot);
    expect(leaves).toBe([...(store.at(BigInt(number))?.accounts() ?? [])].length);
    expect(nodes).toBeGreaterThan(leaves);
  },
);

it("reconstructs at most two past states per request", async () => {
  const { store, chain } = recorded;
  const roots = [10n, 40n, 70n, 100n].map((number) => chain.header(number)?.stateRoot as Uint8Array);
  expect(new Set(roots.map(bytesToHex)).size).toBe(4);
  const answer = await new NodesByHash(store, chain).find(roots, pace);
  expect(answer.map((node) => bytesToHex(keccak256(node)))).toEqual(roots.slice(0, 2).map(bytesToHex));
});

it("finds nothing below a root that was not requested, and ends when its pace throws", async () => {
  const { store, chain } = recorded;
  const root = chain.head.header.stateRoot;
  const [node] = await new NodesByHash(store, chain).find([root], pace);
  const [child] = [...references(decodeItem(node as Uint8Array), false)];
  const hash = hexToBytes(child?.hash as Hex);
  expect(await new NodesByHash(store, chain).find([hash], pace)).toEqual([]);
  const over = { isDue: () => true, yield: () => Promise.reject(new Error("gone")) };
  await expect(new NodesByHash(store, chain).find([root], over)).rejects.toThrow("gone");
});

it("counts nodes of a pruned state as unknown, and passes on other failures", async () => {
  const { store, chain } = recorded;
  const past = chain.header(40n)?.stateRoot as Uint8Array;
  const head = chain.head.header.stateRoot;
  const findWith = (code: string) => {
    const failing = {
      ...{ code: (hash: Uint8Array) => store.code(hash), latest: () => store.latest() },
      prove: () => Promise.reject(Object.assign(new Error(code), { code })),
    } as unknown as StateStore;
    return new NodesByHash(failing, chain).find([past, head], pace);
  };
  expect((await findWith("STATE_PRUNED")).map((node) => bytesToHex(keccak256(node)))).toEqual([
    bytesToHex(head),
  ]);
  await expect(findWith("EIO")).rejects.toThrow("EIO");
});
