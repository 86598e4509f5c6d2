import { beforeAll, describe, expect, it } from "vitest";
import type { Block } from "../../../protocol/block/block.ts";
import { encodeBlock } from "../../../protocol/block/block-codec.ts";
import { blockHash } from "../../../protocol/block/hash.ts";
import { encodeHeader } from "../../../protocol/block/header-codec.ts";
import { encodeItem } from "../../../protocol/codec/rlp/item.ts";
import { concat } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { createLedger, type TestLedger } from "../testing/ledger.ts";
import { GENESIS, transfer } from "../testing/transfers.ts";
import { exportBlocks, readBlocks } from "./chain-file.ts";

let ledger: TestLedger;
let blocks: readonly Block[];
const block = (number: number) => blocks[number] as Block;

beforeAll(async () => {
  ledger = await createLedger(GENESIS);
  await ledger.add();
  await ledger.add(transfer(0n), transfer(1n), transfer(2n));
  await ledger.chain.published();
  blocks = [0n, 1n, 2n].map((number) => ledger.chain.block(number) as Block);
});

async function* streamOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** What is read of a file, and the error that ends it. */
async function read(...parts: readonly Uint8Array[]) {
  const numbers: bigint[] = [];
  try {
    for await (const { header } of readBlocks(streamOf(concat(...parts)))) numbers.push(header.number);
    return { numbers };
  } catch (error) {
    return { numbers, error };
  }
}

describe("a chain file", () => {
  it("is read without its genesis", async () => {
    expect(await read(...blocks.map(encodeBlock))).toEqual({ numbers: [1n, 2n] });
  });

  it("that ends within a block is refused with the position, and the block before it", async () => {
    const parts = blocks.map(encodeBlock);
    const position = (parts[0] as Uint8Array).length + (parts[1] as Uint8Array).length;
    const { numbers, error } = await read(...parts.slice(0, 2), (parts[2] as Uint8Array).subarray(0, 40));
    expect(numbers).toEqual([1n]);
    expect(error).toMatchObject({ code: "BLOCK_CUT_SHORT", details: { position, after: 1n } });
    const { error: atOnce } = await read(Uint8Array.of(5));
    expect(atOnce).toMatchObject({ code: "NOT_A_BLOCK", details: { position: 0 } });
    expect((atOnce as { details: object }).details).not.toHaveProperty("after");
  });

  it("with an unreadable header is refused with the block before it", async () => {
    const { error } = await read(encodeBlock(block(1)), encodeItem([[Uint8Array.of(1)], []]));
    expect(error).toMatchObject({ code: "BAD_BLOCK", details: { field: "header", after: 1n } });
  });

  it.each([0, 1, 2, 3])(
    "names the block, and the first transaction that is unreadable: %i",
    async (index) => {
      const { header, transactions } = block(2);
      const whole = encodeBlock({ header, transactions: transactions.slice(0, index) });
      const own = encodeHeader(header);
      // the list of transactions is what follows the header; a number is none of them
      const readable = whole.subarray(whole.length - bodySizeOf(whole, own));
      const bad = listOf(own, listOf(readable, Uint8Array.of(5)));
      const { numbers, error } = await read(encodeBlock(block(1)), bad);
      expect(numbers).toEqual([1n]);
      const details = { number: 2n, hash: bytesToHex(blockHash(header)), field: "transactions" };
      expect(error).toMatchObject({ code: "BAD_BLOCK", details: { ...details, transactionIndex: index } });
      expect((error as { details: object }).details).not.toHaveProperty("after");
    },
  );

  it("names the block alone if all its transactions are readable, but not what follows them", async () => {
    const { header, transactions } = block(2);
    const whole = encodeBlock({ header, transactions });
    const payload = whole.subarray(headSize(whole));
    const { error } = await read(listOf(payload, Uint8Array.of(5)));
    expect(error).toMatchObject({ code: "BAD_BLOCK", details: { number: 2n, field: "transactions" } });
    expect((error as { details: object }).details).not.toHaveProperty("transactionIndex");
  });
});

describe("an export", () => {
  const exported = (first: bigint, last: bigint) => [...exportBlocks(ledger.chain, first, last)];

  it("has both ends", () => {
    expect(exported(1n, 2n)).toEqual(blocks.slice(1).map(encodeBlock));
    expect(exported(2n, 2n)).toEqual([encodeBlock(block(2))]);
  });

  it("of a range in the wrong order, or beyond the head, is refused at once with its first missing block", () => {
    const failure = (first: bigint, last: bigint) => {
      try {
        return exportBlocks(ledger.chain, first, last);
      } catch (error) {
        return error;
      }
    };
    expect(failure(2n, 1n)).toMatchObject({
      code: "OUT_OF_RANGE",
      message: "export failed: first (2) is greater than last (1)",
    });
    expect(failure(1n, 3n)).toMatchObject({
      message: "export failed on #3: not found",
      details: { number: 3n },
    });
    expect(failure(7n, 9n)).toMatchObject({ code: "OUT_OF_RANGE", details: { number: 7n } });
  });

  it("fails at a block that is missing within the chain", () => {
    const chain = {
      head: ledger.chain.head,
      block: (number: bigint) => (number === 1n ? block(1) : undefined),
    };
    const rest = exportBlocks(chain, 1n, 2n);
    expect(rest.next().value).toEqual(encodeBlock(block(1)));
    expect(() => rest.next()).toThrow("export failed on #2: not found");
  });
});

/** Size of the header of a long RLP list. */
const headSize = (list: Uint8Array) => ((list[0] as number) < 0xf8 ? 1 : (list[0] as number) - 0xf6);
/** Size of the transactions in an encoded block, without the header of their list. */
function bodySizeOf(whole: Uint8Array, header: Uint8Array): number {
  const list = whole.subarray(headSize(whole) + header.length);
  return list.length - headSize(list);
}

/** An RLP list of items that are encoded already. */
function listOf(...items: readonly Uint8Array[]): Uint8Array {
  const payload = concat(...items);
  const length = Uint8Array.of(payload.length >> 16, payload.length >> 8, payload.length);
  if (payload.length < 56) return concat(Uint8Array.of(0xc0 + payload.length), payload);
  const significant = length.subarray(length.findIndex((byte) => byte > 0));
  return concat(Uint8Array.of(0xf7 + significant.length), significant, payload);
}
