import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { bytesOf } from "./rows.ts";

/** As PostgreSQL's `encode(…, 'base64')`: lines of 76 characters. */
function encoded(bytes: Buffer): string {
  return (bytes.toString("base64").match(/.{1,76}/g) ?? []).join("\n");
}

it.each([0, 1, 57, 58, 77 * 12_288, 3_000_000, 8 << 20])("decodes %i bytes", async (length) => {
  const bytes = randomBytes(length);
  expect(Buffer.compare(await bytesOf(encoded(bytes)), bytes)).toBe(0);
});

it("decodes long texts between other work", async () => {
  let turns = 0;
  const pace = { isDue: () => true, yield: async () => void turns++ };
  await bytesOf(encoded(randomBytes(8 << 20)), pace);
  expect(turns).toBe(9); // 11 MiB of text, a megabyte and a quarter at a time
});

it("refuses what is not text", async () => {
  await expect(bytesOf(new Uint8Array(1))).rejects.toMatchObject({ code: "LOG_INCONSISTENT" });
});
