import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { keccak256 } from "../../../protocol/crypto/keccak.ts";
import { bigintToFixedBytes, compareBytes } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { rootOfEntries } from "../testing/root-of-entries.ts";
import { listNodes } from "./list-nodes.ts";

const value = fc.uint8Array({ minLength: 1, maxLength: 60 });

describe("the nodes of a trie", () => {
  it("start with its root, and have every value at the end of its key", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.bigInt(0n, 2n ** 20n), { minLength: 1, maxLength: 60 }),
        value,
        (numbers, bytes) => {
          const leaves = numbers
            .map((number) => ({ key: keccak256(bigintToFixedBytes(number, 32)), value: bytes }))
            .sort((a, b) => compareBytes(a.key, b.key));
          const nodes = [...listNodes(leaves)];
          const root = rootOfEntries(leaves.map((leaf) => [leaf.key, leaf.value] as const));
          expect(bytesToHex(nodes[0]?.hash as Uint8Array)).toBe(bytesToHex(root));
          const found = nodes.filter(({ leaf }) => leaf !== undefined);
          expect(found.map(({ path }) => `0x${path}`)).toEqual(leaves.map(({ key }) => bytesToHex(key)));
        },
      ),
      { numRuns: 30 },
    );
  });

  it("do not exist without leaves", () => {
    expect([...listNodes([])]).toEqual([]);
  });
});
