import { expect, it } from "vitest";
import { parseUuid } from "./uuid.ts";

const PLAIN = "3198bc9c-6672-5ab3-d995-4942343ae5b6";

it.each([
  PLAIN,
  PLAIN.toUpperCase(),
  PLAIN.replaceAll("-", ""),
  `{${PLAIN}}`,
  `urn:uuid:${PLAIN}`,
  `URN:UUID:${PLAIN.toUpperCase()}`,
])("reads the id of a key file: %s", (text) => {
  expect(parseUuid(text)).toBe(PLAIN);
});

it.each([
  ["", "invalid UUID length: 0"],
  [`${PLAIN}0`, "invalid UUID length: 37"],
  [`urn:uuid-${PLAIN}`, 'invalid urn prefix: "urn:uuid-"'],
  [PLAIN.replace("3", "g"), "invalid UUID format"],
  [PLAIN.replaceAll("-", "0"), "invalid UUID format"],
  [`urn:uuid:${PLAIN.replace("b", "x")}`, "invalid UUID format"],
  [`{${PLAIN.replace("b", "x")}}`, "invalid UUID format"],
  ["x".repeat(32), "invalid UUID format"],
])("refuses %j in the reference node's words", (text, message) => {
  expect(() => parseUuid(text)).toThrow(expect.objectContaining({ code: "KEY_FILE", message }));
});
