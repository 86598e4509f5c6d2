import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeItem } from "../codec/rlp/item.ts";
import { keccak256 } from "../crypto/keccak.ts";
import { addressOfPublicKey, publicKeyOf } from "../crypto/secp256k1.ts";
import { bigintToBytes, concat } from "../primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../primitives/hex.ts";
import { encodeTransaction, transactionHash } from "../transaction/envelope.ts";
import {
  decodeBlock,
  decodeBody,
  encodeBlock,
  encodeBody,
  readBlock,
  transactionInBody,
} from "./block-codec.ts";
import { bloomContains, EMPTY_BLOOM, logsBloom, mergeBlooms } from "./bloom.ts";
import { blockHash, committedSealMessage, proposerSealMessage, sealHash } from "./hash.ts";
import type { Header } from "./header.ts";
import { decodeHeader, encodeHeader } from "./header-codec.ts";
import { decodeIstanbulExtra, encodeIstanbulExtra, roundOf } from "./istanbul-extra.ts";
import { deriveSha, deriveShaInSteps } from "./list-root.ts";
import { trieRoot } from "./ordered-trie.ts";
import { placedReceipts } from "./placed-receipt.ts";
import {
  decodeReceipt,
  decodeStoredReceipts,
  encodeReceipt,
  encodeStoredReceipts,
  readStoredReceipt,
} from "./receipt-codec.ts";
import { authorOf, committersOf, recoverSeal, withCommittedSeals, withProposerSeal } from "./seal.ts";
import { STATUS_TEXTS, statusOfText, statusText } from "./status.ts";

const fixtures = new URL("../../../test/fixtures/", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, fixtures));
// biome-ignore lint/suspicious/noExplicitAny: recorded JSON
const cases = (name: string): any[] => JSON.parse(read(`vectors/${name}.json`).toString()).cases;
const hex = bytesToHex;

describe("roots of lists", () => {
  it.each([0, 1, 2])("are computed in steps if there are many items: implementation %i", (implementation) => {
    const items = Array.from({ length: 1_000 }, (_, i) => Uint8Array.of(i >> 8, i));
    const steps = deriveShaInSteps(implementation, items);
    let count = 0;
    let step = steps.next();
    for (; !step.done; step = steps.next()) count++;
    expect(count).toBeGreaterThan(6);
    expect(step.value).toEqual(deriveSha(implementation, items));
    if (implementation === 2) expect(step.value).toEqual(keccak256(concat(...items)));
  });

  it("are those of the trie of all entries, whatever the order of their keys", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { maxLength: 400 }), (items) => {
        const entries = items.map((value, i) => ({ key: encodeItem(bigintToBytes(BigInt(i))), value }));
        expect(deriveSha(0, items)).toEqual(trieRoot(entries.reverse()));
      }),
      { numRuns: 30 },
    );
  });
});

describe("headers", () => {
  it.each(cases("headers"))("$name: codec, hashes and seals", (vector) => {
    const header = decodeHeader(hexToBytes(vector.rlp));
    expect(hex(encodeHeader(header))).toBe(vector.rlp);
    expect(hex(sealHash(header))).toBe(vector.sealHash);
    expect(hex(proposerSealMessage(header))).toBe(vector.sealSigningHash);
    expect(hex(blockHash(header))).toBe(vector.hash);
    expect(hex(committedSealMessage(blockHash(header)))).toBe(vector.committedSealSigningHash);
    expect(roundOf(header.extra)).toBe(vector.round);
    const proposer = addressOfPublicKey(publicKeyOf(hexToBytes(vector.proposerPrivateKey)));
    expect(authorOf(header)).toEqual(proposer);
  });

  it("encodes an absent field before a present one as empty", () => {
    const header = decodeHeader(hexToBytes(cases("headers")[0].rlp));
    const gap: Header = { ...header, excessBlobGas: 5n };
    expect(decodeHeader(encodeHeader(gap))).toMatchObject({
      baseFee: 0n,
      blobGasUsed: 0n,
      excessBlobGas: 5n,
    });
  });

  it("reads an empty byte field as absent, but as present if it is the last one", () => {
    const { randomReveal, mixHash, ...rest } = decodeHeader(hexToBytes(cases("headers")[0].rlp));
    const gap: Header = { ...rest, baseFee: 1n, blobGasUsed: 0n, excessBlobGas: 0n };
    expect(decodeHeader(encodeHeader(gap))).toEqual(gap);
    const last: Header = { ...rest, baseFee: 1n, randomReveal: new Uint8Array() };
    expect(decodeHeader(encodeHeader(last))).toEqual(last);
  });

  it("hashes extra data that is not Istanbul's unchanged", () => {
    const vector = cases("headers")[0];
    const header = decodeHeader(hexToBytes(vector.rlp));
    const plain = { ...header, extra: header.extra.subarray(0, 31) };
    expect(blockHash(plain)).toEqual(sealHash(plain));
    expect(() => decodeIstanbulExtra(plain.extra)).toThrowError("invalid istanbul header extra-data");
  });

  it("keeps the hash when committed seals and round are set", () => {
    const header = decodeHeader(hexToBytes(cases("headers")[0].rlp));
    const committed = withCommittedSeals(header, [new Uint8Array(65)], 7);
    expect(blockHash(committed)).toEqual(blockHash(header));
    expect(roundOf(committed.extra)).toBe(7);
    expect(blockHash(withProposerSeal(header, new Uint8Array(65)))).not.toEqual(blockHash(header));
  });

  it("rejects a seal with a parity other than 0 and 1", () => {
    const seal = new Uint8Array(65).fill(1, 0, 64);
    seal[64] = 27;
    expect(() => recoverSeal(new Uint8Array(32), seal)).toThrowError("invalid signature");
  });
});

describe("Istanbul extra data", () => {
  const bytesOf = (size: number) => fc.uint8Array({ minLength: size, maxLength: size });

  it("round-trips", () => {
    const extra = fc.record({
      vanity: bytesOf(32),
      validators: fc.array(bytesOf(20)),
      seal: fc.oneof(bytesOf(65), bytesOf(0)),
      committedSeals: fc.array(bytesOf(65)),
    });
    fc.assert(
      fc.property(extra, (value) => {
        expect(decodeIstanbulExtra(encodeIstanbulExtra(value))).toEqual(value);
      }),
    );
  });
});

describe("blocks", () => {
  it.each(cases("blocks"))("$name", (vector) => {
    const block = decodeBlock(hexToBytes(vector.rlp));
    expect(hex(encodeBlock(block))).toBe(vector.rlp);
    expect(hex(encodeBody(block.transactions))).toBe(vector.bodyRlp);
    expect(hex(encodeHeader(block.header))).toBe(vector.headerRlp);
    expect(hex(blockHash(block.header))).toBe(vector.hash);
    expect(block.transactions.map((tx) => hex(transactionHash(tx)))).toEqual(vector.txHashes);
    expect(decodeBody(hexToBytes(vector.bodyRlp))).toHaveLength(block.transactions.length);
  });

  it.each(["all-types", "forks", "bft4"])(
    "chain %s: bytes, hashes, proposers and transaction roots",
    (chain) => {
      const bytes = new Uint8Array(gunzipSync(read(`chains/${chain}/chain.rlp.gz`)));
      const expected = JSON.parse(read(`chains/${chain}/expect.json`).toString()).blocks;
      const { deriveShaImpl } = JSON.parse(read(`chains/${chain}/genesis.json`).toString()).config;
      for (let at = 0, number = 1; at < bytes.length; number++) {
        const { block, end } = readBlock(bytes, at);
        const want = expected[number];
        expect(Buffer.compare(encodeBlock(block), bytes.subarray(at, end))).toBe(0);
        expect(hex(blockHash(block.header))).toBe(want.hash);
        expect(hex(authorOf(block.header))).toBe(want.proposer);
        const encoded = encodeBody(block.transactions);
        expect(decodeBody(encoded)).toHaveLength(want.txCount);
        const encodings = block.transactions.map(encodeTransaction);
        for (const [index, encoding] of encodings.entries())
          expect(Buffer.compare(transactionInBody(encoded, index) as Uint8Array, encoding)).toBe(0);
        expect(transactionInBody(encoded, want.txCount)).toBeUndefined();
        expect(hex(deriveSha(deriveShaImpl, encodings))).toBe(want.txRoot);
        at = end;
      }
    },
  );
});

describe("committed seals", () => {
  it("name the validators that the reference node recovered", () => {
    const bytes = new Uint8Array(gunzipSync(read("chains/bft4/chain.rlp.gz")));
    const recorded = JSON.parse(read("chains/bft4/istanbul.json").toString());
    for (let at = 0; at < bytes.length; ) {
      const { block, end } = readBlock(bytes, at);
      const want = recorded[Number(block.header.number)];
      expect(committersOf(block.header).map(hex)).toEqual(want.committers);
      expect(roundOf(block.header.extra)).toBe(want.round);
      at = end;
    }
  });
});

describe("list roots", () => {
  it.each(cases("list-roots"))("$name", ({ items, original, simple, concat }) => {
    const bytes = items.map(hexToBytes);
    expect([0, 1, 2].map((implementation) => hex(deriveSha(implementation, bytes)))).toEqual([
      original,
      simple,
      concat,
    ]);
  });
});

describe("receipts", () => {
  it.each(cases("receipts"))("$name", (vector) => {
    const receipt = decodeReceipt(hexToBytes(vector.rlp));
    expect(receipt.status).toBe(vector.status);
    expect(Number(receipt.gasUsed)).toBe(vector.gasUsed);
    expect(hex(logsBloom(receipt.logs))).toBe(vector.bloom);
    expect(hex(encodeReceipt(receipt))).toBe(vector.rlp);
    expect(decodeStoredReceipts(encodeStoredReceipts([receipt, receipt]))).toEqual([receipt, receipt]);
  });

  it("store the address of a created contract", () => {
    const receipt = {
      status: 1,
      gasUsed: 21_000n,
      bloom: EMPTY_BLOOM,
      logs: [],
      contractAddress: new Uint8Array(20).fill(7),
    };
    expect(decodeStoredReceipts(encodeStoredReceipts([receipt]))).toEqual([receipt]);
  });

  it("are read one by one with the gas and logs of the preceding ones", () => {
    const receipts = cases("receipts").map(({ rlp }) => decodeReceipt(hexToBytes(rlp)));
    const stored = encodeStoredReceipts(receipts);
    const one = receipts.map((_, index) => readStoredReceipt(stored, index));
    expect(one).toEqual(placedReceipts(receipts));
    expect(one.at(-1)?.cumulativeGasUsed).toBe(receipts.reduce((sum, { gasUsed }) => sum + gasUsed, 0n));
    expect(one.at(-1)?.firstLogIndex).toBe(receipts.slice(0, -1).flatMap(({ logs }) => logs).length);
    expect(readStoredReceipt(stored, receipts.length)).toBeUndefined();
  });
});

describe("bloom", () => {
  const word = fc.uint8Array({ minLength: 32, maxLength: 32 });
  const address = fc.uint8Array({ minLength: 20, maxLength: 20 });
  const logs = fc.array(
    fc.record({ address, topics: fc.array(word, { maxLength: 4 }), data: fc.constant(new Uint8Array()) }),
  );

  it("contains every address and topic of its logs, also after merging", () => {
    fc.assert(
      fc.property(logs, logs, (a, b) => {
        const merged = mergeBlooms([logsBloom(a), logsBloom(b)]);
        expect(merged).toEqual(Uint8Array.from(logsBloom([...a, ...b])));
        for (const log of [...a, ...b]) {
          expect([log.address, ...log.topics].every((value) => bloomContains(merged, value))).toBe(true);
        }
      }),
    );
  });
});

describe("receipt status", () => {
  it("round-trips through the reference's text", () => {
    for (let code = 2; code < STATUS_TEXTS.length; code++)
      expect(statusOfText(statusText(code) as string)).toBe(code);
    expect(STATUS_TEXTS).toHaveLength(0x1f);
    expect(statusOfText("stack underflow (0 <=> 2)")).toBe(2);
    expect(statusText(1)).toBeUndefined();
  });
});
