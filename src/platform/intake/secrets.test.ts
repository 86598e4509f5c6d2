import { expect, it } from "vitest";
import { secretsOf, withoutSecrets } from "./secrets.ts";

const KEY = "0123456789abcdef";

it("finds passwords and keys in addresses and headers", () => {
  const url = new URL(`https://ann:se%20cret@host/v1/${KEY}/x?key=${KEY}2&n=1`);
  const basic = Buffer.from("ann:se cret").toString("base64");
  expect(secretsOf(url)).toEqual(["se cret", "se%20cret", basic, KEY, `${KEY}2`]);
  expect(secretsOf(new URL("http://host/"), { Authorization: `Bearer ${KEY}` })).toEqual([
    `Bearer ${KEY}`,
    KEY,
  ]);
  expect(secretsOf(new URL("http://ann@host/path"))).toEqual([]);
  expect(secretsOf(new URL("http://ann:100%25%@host/"))).toContain("100%25%");
});

it("are hidden wherever another program repeats them, but not in words that contain a short one", () => {
  expect(withoutSecrets("no ann:secret, no secret", ["secret", undefined])).toBe("no ann:…, no …");
  expect(withoutSecrets("a password", ["pass", ""])).toBe("a password");
  expect(withoutSecrets("fine", ["secret"])).toBe("fine");
});
