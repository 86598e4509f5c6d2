import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { TokenCheck } from "./token-check.ts";

const SECRET = new Uint8Array(32).fill(7);
const NOW = 1_700_000_000;
const check = new TokenCheck(SECRET, () => NOW * 1000);
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

function token(header: unknown, claims: unknown, { secret = SECRET, hash = "sha256" } = {}): string {
  const text = `${part(header)}.${part(claims)}`;
  return `Bearer ${text}.${createHmac(hash, secret).update(text).digest("base64url")}`;
}
const HS256 = { alg: "HS256", typ: "JWT" };

describe("a token", () => {
  it.each([
    ["issued now", token(HS256, { iat: NOW })],
    ["issued a minute ago", token(HS256, { iat: NOW - 60 })],
    ["issued a minute ahead", token(HS256, { iat: NOW + 60 })],
    ["that has not expired", token(HS256, { iat: NOW, exp: NOW + 1 })],
    ["under another spelling of the scheme", token(HS256, { iat: NOW }).replace("Bearer", "bearer")],
  ])("%s is accepted", (_, field) => {
    expect(check.allows(field)).toBe(true);
  });

  it.each([
    ["that is absent", undefined],
    ["that is empty", "Bearer "],
    ["under another scheme", token(HS256, { iat: NOW }).replace("Bearer", "Basic")],
    ["that is too old", token(HS256, { iat: NOW - 61 })],
    ["from the future", token(HS256, { iat: NOW + 61 })],
    ["without time", token(HS256, {})],
    ["with a time of text", token(HS256, { iat: `${NOW}` })],
    ["that has expired", token(HS256, { iat: NOW, exp: NOW })],
    ["of another secret", token(HS256, { iat: NOW }, { secret: new Uint8Array(32) })],
    ["without algorithm", token({ alg: "none" }, { iat: NOW })],
    ["without signature", token({ alg: "none" }, { iat: NOW }).replace(/\.[^.]*$/, ".")],
    ["of another algorithm", token({ alg: "HS512" }, { iat: NOW }, { hash: "sha512" })],
    ["that names another algorithm", token({ alg: "RS256" }, { iat: NOW })],
    ["of four parts", `${token(HS256, { iat: NOW })}.x`],
    ["whose claims are not an object", token(HS256, null)],
  ])("%s is rejected", (_, field) => {
    expect(check.allows(field)).toBe(false);
  });
});
