import { expect, it } from "vitest";
import { accountKeyHandlers } from "./account-key.ts";

const { decodeAccountKey } = accountKeyHandlers as unknown as {
  decodeAccountKey(parameters: { encoded: Uint8Array }): unknown;
};

it("decodes no account key that is longer than a transaction may be", () => {
  expect(decodeAccountKey({ encoded: Uint8Array.of(1, 0xc0) })).toMatchObject({ keyType: 1 });
  expect(() => decodeAccountKey({ encoded: new Uint8Array(4 * 32_768 + 1) })).toThrow("oversized data");
  expect(() => decodeAccountKey({ encoded: new Uint8Array(4 * 32_768) })).toThrow("rlp");
});
