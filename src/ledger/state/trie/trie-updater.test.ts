import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EMPTY_ROOT } from "../../../protocol/account/account.ts";
import { keccak256 } from "../../../protocol/crypto/keccak.ts";
import { bytesToHex, hexToBytes } from "../../../protocol/primitives/hex.ts";
import { rootOfEntries } from "../testing/root-of-entries.ts";
import { TriePath } from "./trie-path.ts";
import { TrieUpdater } from "./trie-updater.ts";

/** A trie over a map, with the records it wrote. */
function mapTrie() {
  const leaves = new Map<string, Uint8Array>();
  const records = new Map<string, Uint8Array>();
  const path = new TriePath(new Uint8Array(0));
  const updater = new TrieUpdater();
  let root = EMPTY_ROOT;
  const trie = {
    nodes: {
      get: (key: Uint8Array, depth: number) => records.get(bytesToHex(path.of(key, depth))),
      set: (key: Uint8Array, depth: number, record: Uint8Array | null) => {
        const name = bytesToHex(path.of(key, depth));
        if (record) records.set(name, record.slice());
        else records.delete(name);
      },
    },
    leaf: (key: Uint8Array) => leaves.get(bytesToHex(key)),
  };
  return {
    records,
    entries: () => [...leaves].map(([key, value]) => [hexToBytes(key), value] as const),
    apply(changes: ReadonlyMap<string, Uint8Array | null>) {
      const real = [...changes].filter(([key, value]) => value || leaves.has(key));
      const keys = real.map(([key]) => hexToBytes(key));
      root = updater.apply(
        trie,
        root,
        keys,
        real.map(([, value]) => value),
      );
      for (const [key, value] of real)
        if (value) leaves.set(key, value);
        else leaves.delete(key);
      return root;
    },
  };
}

/** Keys that share long prefixes, so that extensions, splits, joins and embedded nodes occur. */
const clusteredKey = fc.tuple(fc.nat(3), fc.nat(3), fc.nat(15), fc.nat(63)).map(([a, b, c, d]) => {
  const key = new Uint8Array(32).fill(0xab);
  key[0] = a === 0 ? 0xab : a * 16;
  key[15] = b;
  key[30] = c;
  key[31] = d;
  return bytesToHex(key);
});
const hashedKey = fc.nat(400).map((n) => bytesToHex(keccak256(Uint8Array.of(n >> 8, n & 255))));
const value = fc.option(fc.uint8Array({ minLength: 1, maxLength: 90 }), { freq: 3 });
const smallValue = fc.option(
  fc.integer({ min: 1, max: 127 }).map((n) => Uint8Array.of(n)),
  { freq: 3 },
);

describe("a trie updater", () => {
  it.each([
    ["hashed keys", hashedKey, value],
    ["clustered keys", clusteredKey, value],
    ["clustered keys with embedded nodes", clusteredKey, smallValue],
  ])("returns the root after every batch and leaves no stale record: %s", (_, key, entry) => {
    const batch = fc
      .array(fc.tuple(key, entry), { minLength: 1, maxLength: 40 })
      .map((pairs) => new Map(pairs));
    fc.assert(
      fc.property(fc.array(batch, { minLength: 1, maxLength: 12 }), (batches) => {
        const trie = mapTrie();
        for (const changes of batches)
          expect(bytesToHex(trie.apply(changes))).toBe(bytesToHex(rootOfEntries(trie.entries())));
        const fresh = mapTrie();
        fresh.apply(new Map(trie.entries().map(([k, v]) => [bytesToHex(k), v])));
        expect(trie.records).toEqual(fresh.records);
      }),
      { numRuns: 40 },
    );
  });

  it("reports a missing record instead of a wrong root", () => {
    const trie = mapTrie();
    const entries = Array.from({ length: 100 }, (_, i) => [
      bytesToHex(keccak256(Uint8Array.of(i))),
      Uint8Array.of(1),
    ]);
    trie.apply(new Map(entries as [string, Uint8Array][]));
    trie.records.clear();
    expect(() => trie.apply(new Map([[bytesToHex(keccak256(Uint8Array.of(1))), Uint8Array.of(2)]]))).toThrow(
      expect.objectContaining({ code: "STATE_DAMAGED" }),
    );
  });
});
