import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeItem } from "../codec/rlp/item.ts";
import { bigintToBytes, EMPTY_BYTES } from "../primitives/bytes.ts";
import { hexToBytes } from "../primitives/hex.ts";
import { decodeBlock, encodeBody, encodeBodyInSteps } from "./block-codec.ts";
import { logsBloom, mergeBlooms } from "./bloom.ts";
import type { Log, Receipt } from "./receipt.ts";
import {
  countStoredReceipts,
  decodeStoredReceipts,
  decodeStoredReceiptsInSteps,
  encodeReceipt,
  encodeReceiptInSteps,
  encodeStoredReceiptsInSteps,
} from "./receipt-codec.ts";

const vectors = new URL("../../../test/fixtures/vectors/blocks.json", import.meta.url);

/** Runs steps to their end. @returns their result, and their number */
function counted<T>(steps: Generator<void, T>): [T, number] {
  for (let count = 0; ; count++) {
    const step = steps.next();
    if (step.done) return [step.value, count];
  }
}

/** Logs of two contracts, with up to three topics. */
function logsOf(count: number): Log[] {
  return Array.from({ length: count }, (_, i) => ({
    address: new Uint8Array(20).fill(1 + (i & 1)),
    topics: Array.from({ length: i % 4 }, (_, topic) => new Uint8Array(32).fill(topic + (i >> 4))),
    data: Uint8Array.of(i),
  }));
}

function receiptOf(logs: readonly Log[]): Receipt {
  return { status: 1, gasUsed: 21_000n, bloom: logsBloom(logs), logs };
}

const members = ({ status, gasUsed }: Receipt) => [bigintToBytes(BigInt(status)), bigintToBytes(gasUsed)];
const logItems = ({ logs }: Receipt) => logs.map(({ address, topics, data }) => [address, topics, data]);

describe("in steps", () => {
  it("a receipt with many logs is encoded as at once", () => {
    const receipt = receiptOf(logsOf(5000));
    const [bytes, steps] = counted(encodeReceiptInSteps(receipt) as Generator<void, Uint8Array>);
    expect(bytes).toEqual(encodeReceipt(receipt));
    expect(steps).toBeGreaterThan(3);
    expect(encodeReceiptInSteps(receiptOf(logsOf(3)))).toEqual(encodeReceipt(receiptOf(logsOf(3))));
  });

  it.each([
    ["none", []],
    ["few", [0, 3]],
    ["many receipts", Array.from({ length: 3000 }, (_, i) => i % 3)],
    ["one long receipt among others", [2, 5000, 0, 1024, 1025, 1]],
  ])("stored receipts are one list: %s", (_, counts) => {
    const receipts = counts.map((count) => receiptOf(logsOf(count)));
    const [bytes, steps] = counted(encodeStoredReceiptsInSteps(receipts));
    const items = receipts.map((receipt) => [...members(receipt), EMPTY_BYTES, logItems(receipt)]);
    expect(Buffer.compare(bytes, encodeItem(items))).toBe(0);
    expect(steps > 2).toBe(counts.length > 2);
    const [decoded, decodingSteps] = counted(decodeStoredReceiptsInSteps(bytes));
    expect(decoded.map(encodeReceipt)).toEqual(receipts.map(encodeReceipt));
    expect(decodingSteps > 2).toBe(counts.length > 2);
    const logs = counts.reduce((sum, count) => sum + count, 0);
    expect(counted(countStoredReceipts(bytes))[0]).toEqual({ receipts: counts.length, logs });
  });

  it("a body is encoded as at once", () => {
    const { rlp } = JSON.parse(readFileSync(vectors, "utf8")).cases.find(
      (vector: { txHashes: readonly string[] }) => vector.txHashes.length > 0,
    );
    const some = decodeBlock(hexToBytes(rlp)).transactions;
    const transactions = Array.from(
      { length: 1200 },
      (_, i) => some[i % some.length] as (typeof some)[number],
    );
    const [bytes, steps] = counted(encodeBodyInSteps(transactions));
    expect(Buffer.compare(bytes, encodeBody(transactions))).toBe(0);
    expect(steps).toBe(18);
  });
});

it("the bloom of logs is the union of those of each, however they repeat addresses and topics", () => {
  const word = fc.constantFrom(...[1, 2, 3].map((byte) => new Uint8Array(32).fill(byte)));
  const address = fc.constantFrom(...[1, 2].map((byte) => new Uint8Array(20).fill(byte)));
  const log = fc.record({
    address,
    topics: fc.array(word, { maxLength: 4 }),
    data: fc.constant(EMPTY_BYTES),
  });
  fc.assert(
    fc.property(fc.array(log, { minLength: 1, maxLength: 20 }), (logs) => {
      expect(logsBloom(logs)).toEqual(mergeBlooms(logs.map((one) => logsBloom([one]))));
    }),
  );
});

it("a stored log has four topics at most, each of which costs a hash", () => {
  const stored = (topics: number) => {
    const log = {
      address: new Uint8Array(20),
      topics: Array(topics).fill(new Uint8Array(32)),
      data: EMPTY_BYTES,
    };
    return counted(encodeStoredReceiptsInSteps([{ ...receiptOf([]), logs: [log] }]))[0];
  };
  expect(decodeStoredReceipts(stored(4))).toHaveLength(1);
  expect(() => decodeStoredReceipts(stored(5))).toThrow("too many elements");
});
