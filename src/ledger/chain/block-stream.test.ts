import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeItem } from "../../protocol/codec/rlp/item.ts";
import { splitBlocks } from "./block-stream.ts";

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
  it("gives back the blocks of a plain or gzipped stream, whatever its chunks", async () => {
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

  it("refuses a stream that is cut or is not a list", async () => {
    const block = encodeItem([new Uint8Array(80)]);
    await expect(collect(chunked(block.subarray(0, 50), 7))).rejects.toMatchObject({ code: "BLOCK_STREAM" });
    await expect(collect(chunked(Uint8Array.of(0x82, 1, 2), 3))).rejects.toThrow("not a block");
  });

  it("reports a broken archive", async () => {
    const archive = gzipSync(encodeItem([new Uint8Array(5000).map((_, i) => (i * 7919) >> 3)]));
    await expect(collect(chunked(archive.subarray(0, archive.length >> 1), 64))).rejects.toMatchObject({
      code: "BLOCK_STREAM",
      message: "damaged archive: unexpected end of file",
    });
  });
});
