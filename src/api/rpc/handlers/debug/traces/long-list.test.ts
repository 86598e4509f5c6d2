import fc from "fast-check";
import { expect, it } from "vitest";
import { parseList } from "./long-list.ts";

const never = { isDue: () => false, yield: async () => {} };

it("reads lists of any objects as `JSON.parse` does", async () => {
  const object = fc.dictionary(fc.string(), fc.jsonValue());
  await fc.assert(
    fc.asyncProperty(fc.array(object), fc.boolean(), async (list, isLong) => {
      const text = JSON.stringify(
        isLong ? [...list, { pad: `\\"[{,${"x".repeat(70_000)}\\` }, ...list] : list,
      );
      expect(await parseList(text, never)).toEqual(JSON.parse(text));
    }),
  );
});

it("yields every 64 KiB, and stops when the caller disconnects", async () => {
  const text = JSON.stringify(Array.from({ length: 64 }, (_, i) => ({ i, input: "f".repeat(16_384) })));
  let turns = 0;
  const list = await parseList(text, { isDue: () => true, yield: async () => void turns++ });
  expect([list.length, turns]).toEqual([64, 15]);
  const gone = { isDue: () => true, yield: () => Promise.reject(new Error("left")) };
  await expect(parseList(text, gone)).rejects.toThrow("left");
});
