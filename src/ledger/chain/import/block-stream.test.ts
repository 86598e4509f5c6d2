import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeItem } from "../../../protocol/codec/rlp/item.ts";
import { MAX_STREAMED_BLOCK, splitBlocks } from "./block-stream.ts";

async function* chunked(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < bytes.length; i += size) yield bytes.subarray(i, i + size);
}

async function collect(source: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const items: Uint8Array[] = [];
  for await (const item of splitBlocks(source)) items.push(item);
  return items;
}

const list = fc.array(fc.uint8Array({ maxLength: 400 }), { maxLength: 5 });

describe("splitBlocks", () => {
  it("yields the blocks of a plain or gzipped stream, however it is chunked", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(list, { maxLength: 8 }),
        fc.integer({ min: 1, max: 700 }),
        async (lists, size) => {
          const items = lists.map((fields) => encodeItem(fields));
          const whole = Buffer.concat(items);
          expect(await collect(chunked(whole, size))).toEqual(items);
          expect(await collect(chunked(gzipSync(whole), size))).toEqual(items);
        },
      ),
      { numRuns: 40 },
    );
  });

  it("rejects a stream that is truncated or no list", async () => {
    const block = encodeItem([new Uint8Array(80)]);
    await expect(collect(chunked(block.subarray(0, 50), 7))).rejects.toMatchObject({
      code: "BLOCK_CUT_SHORT",
    });
    await expect(collect(chunked(Uint8Array.of(0x82, 1, 2), 3))).rejects.toMatchObject({
      ...{ code: "NOT_A_BLOCK", message: "not a block" },
    });
  });

  it("rejects a stream of one byte, unless that is an empty list", async () => {
    expect(await collect(chunked(Uint8Array.of(0xc0), 1))).toEqual([Uint8Array.of(0xc0)]);
    await expect(collect(chunked(Uint8Array.of(0xf8), 1))).rejects.toThrow("stream ends within a block");
    await expect(collect(chunked(Uint8Array.of(0x05), 1))).rejects.toThrow("not a block");
    expect(await collect(chunked(new Uint8Array(0), 1))).toEqual([]);
  });

  it("gives the position of what is no block, or is too large", async () => {
    const block = encodeItem([new Uint8Array(80)]);
    const details = { position: 2 * block.length };
    for (const [code, rest] of [
      ["NOT_A_BLOCK", Uint8Array.of(5)],
      ["BLOCK_CUT_SHORT", block.subarray(0, 9)],
      ["BLOCK_STREAM", Uint8Array.of(0xfb, 0x10, 0, 0, 0)],
    ] as const)
      await expect(collect(chunked(Buffer.concat([block, block, rest]), 50))).rejects.toMatchObject({
        ...{ code, details },
      });
  });

  it("accepts blocks of up to 16 MiB", async () => {
    // the length of the list in three and in four bytes, without the list
    const claims = (length: number) => {
      const head = new Uint8Array(5);
      new DataView(head.buffer).setUint32(1, length);
      head[0] = 0xfb;
      return collect(chunked(head, 5));
    };
    await expect(claims(2 ** 24)).rejects.toThrow("stream ends within a block");
    await expect(claims(2 ** 24 + 1)).rejects.toMatchObject({
      message: "block of more than 16777216 bytes",
      details: { position: 0, length: 2 ** 24 + 1 },
    });
  });

  it("reports a broken archive", async () => {
    const archive = gzipSync(encodeItem([new Uint8Array(5000).map((_, i) => (i * 7919) >> 3)]));
    await expect(collect(chunked(archive.subarray(0, archive.length >> 1), 64))).rejects.toMatchObject({
      code: "BLOCK_STREAM",
      message: "damaged archive: unexpected end of file",
    });
  });

  it("joins the chunks of a block once, and rejects one above the maximum size", async () => {
    const block = encodeItem([new Uint8Array(MAX_STREAMED_BLOCK - 16)]);
    const [joined] = await collect(chunked(block, 4096));
    expect(Buffer.compare(joined as Uint8Array, block)).toBe(0);
    const claim = Uint8Array.of(0xfb, 0x10, 0, 0, 0); // 256 MiB
    const bomb = gzipSync(Buffer.concat([claim, new Uint8Array(64 << 20)]));
    await expect(collect(chunked(bomb, 1 << 16))).rejects.toMatchObject({
      code: "BLOCK_STREAM",
      message: `block of more than ${MAX_STREAMED_BLOCK} bytes`,
      details: { position: 0 },
    });
  });

  it("yields to the event loop within a stream of a million blocks", async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    let count = 0;
    for await (const _ of splitBlocks(chunked(new Uint8Array(1_000_000).fill(0xc0), 1 << 20))) count++;
    clearInterval(timer);
    expect(count).toBe(1_000_000);
    expect(turns).toBeGreaterThan(10);
  });
});
