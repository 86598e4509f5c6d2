import { describe, expect, it } from "vitest";
import { growth } from "../../runtime/testing/growth.ts";
import { mediaTypeOf } from "../routes/media-type.ts";
import { MAX_HEAD, MAX_LINE, parseHead } from "./head.ts";

const head = (line: string) => `GET / HTTP/1.1\r\nHost: a\r\n${line}`;

describe("a head", () => {
  it.each<[string, (length: number) => string]>([
    ["blanks before a bare CR", (length) => `X: ${" ".repeat(length)}\r`],
    ["blanks and tabs before a control character", (length) => `X: ${" \t".repeat(length / 2)}\x01`],
    ["many bare CR", (length) => `X: ${"\r ".repeat(length / 2)}`],
    ["a name that does not end", (length) => "x".repeat(length)],
  ])("of %s is refused without rescanning it repeatedly", (_, line) => {
    const refuse = (length: number) => expect(parseHead(head(line(length)))).toBe(400);
    expect(growth(refuse, 8000)).toBeLessThan(10);
  });

  it("has a limited length, and limited lines", () => {
    expect(parseHead(head(`X: ${"x".repeat(MAX_LINE - 3)}`))).toHaveProperty("method", "GET");
    expect(parseHead(head(`X: ${"x".repeat(MAX_LINE - 2)}`))).toBe(431);
    expect(parseHead(head("X: x\r\n".repeat(MAX_HEAD / 6)))).toBe(431);
  });

  it.each([
    "GET  / HTTP/1.1",
    "GET / HTTP/1.1 ",
    "GET /\thttp HTTP/1.1",
    " GET / HTTP/1.1",
    "G(T / HTTP/1.1",
    "GET / HTTP/2",
    "GET /",
  ])("does not begin with %j", (line) => {
    expect(parseHead(`${line}\r\nHost: a`)).toBe(400);
  });

  it.each([
    ["http://a.example:80/x?y", "a.example:80", "/x?y"],
    ["HTTPS://b.example", "b.example", "/"],
    ["http://c.example?d", "c.example", "/?d"],
  ])("whose target is %s is addressed to its host, and the field must be the same", (target, host, path) => {
    const expected = { target: path, fields: { host } };
    expect(parseHead(`GET ${target} HTTP/1.1\r\nHost: ${host.toUpperCase()}`)).toMatchObject(expected);
    expect(parseHead(`GET ${target} HTTP/1.0`)).toMatchObject(expected);
    expect(parseHead(`GET ${target} HTTP/1.1\r\nHost: localhost`)).toBe(400);
  });

  it("whose target is a URL without a host is refused", () => {
    expect(parseHead("GET http:///x HTTP/1.1\r\nHost: a")).toBe(400);
  });

  it("trims values, and joins repeated fields", () => {
    const parsed = parseHead(head("X: \t a b\t \r\nx:c\r\nY:"));
    expect(parsed).toMatchObject({ fields: { x: "a b, c", y: "" } });
  });
});

describe("a media type", () => {
  it.each([
    ["application/json", "application/json"],
    [" Application/JSON ; charset=utf-8", "application/json"],
    ['application/json;a="; b"; c=d;', "application/json"],
    ["application/json;", "application/json"],
    ["application", undefined],
    ["application/", undefined],
    ["/json", undefined],
    ["application/json x", undefined],
    ["application/json; a", undefined],
    ["application/json; a=", undefined],
    ['application/json; a="b', undefined],
    ["", undefined],
    [undefined, undefined],
  ])("of %j is %j", (field, type) => {
    expect(mediaTypeOf(field)).toBe(type);
  });

  it.each<[string, (length: number) => string]>([
    ["blanks before a control character", (length) => `a/b${" ".repeat(length)}\x01`],
    ["many parameters", (length) => `a/b;${"a=b; ".repeat(length / 5)}(`],
  ])("with %s is read once", (_, field) => {
    const refuse = (length: number) => expect(mediaTypeOf(field(length))).toBeUndefined();
    expect(growth(refuse, 8000)).toBeLessThan(10);
  });
});
