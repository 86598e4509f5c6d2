import fc from "fast-check";
import { expect, it } from "vitest";
import { bytes as bytesSchema } from "../../../../protocol/codec/json/hex.ts";
import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import { JsonText } from "../../spec/values/json-text.ts";
import { encoded, encodedText } from "../registry.ts";
import { hexText } from "./hex-text.ts";

it("encodes any bytes, including part of a buffer", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(20), (content, from) => {
      const part = content.subarray(Math.min(from, content.length));
      expect(JSON.parse(String(hexText(part)))).toBe(bytesToHex(part));
    }),
  );
});

it("is used only for long values, which take several pieces", () => {
  const long = Uint8Array.from({ length: 200_000 }, (_, i) => i);
  const short = long.subarray(0, 1000);
  expect(encodedText(encoded(bytesSchema, short))).toBe(`"${bytesToHex(short)}"`);
  const text = encoded(bytesSchema, long);
  expect(text).toBeInstanceOf(JsonText);
  expect(JSON.parse(String(encodedText(text)))).toBe(bytesToHex(long));
});
