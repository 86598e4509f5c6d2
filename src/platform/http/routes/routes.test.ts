import { describe, expect, it, vi } from "vitest";
import { TimeSlice } from "../../runtime/turns/time-slice.ts";
import { HttpCaller } from "../client.ts";
import { type Head, parseHead } from "../connection/head.ts";
import type { Reply } from "../service.ts";
import { hostFault } from "./hosts.ts";
import { mediaTypeOf } from "./media-type.ts";
import { originMatches } from "./origins.ts";
import { type PathRoute, type RouteRules, serveRoutes } from "./routes.ts";

const ECHO: PathRoute["handle"] = ({ query, body }) => ({
  ...{ status: 200, headers: "Content-Type: text/plain\r\n" },
  body: `${query.get("q")} ${body}`,
});
const ROUTES: readonly PathRoute[] = [
  { method: "GET", path: "/read", handle: ECHO },
  { method: "POST", path: "/write", handle: async (request) => ECHO(request) },
];

/** The verdict on a request, and the reply to its body if it is admitted. */
async function served(
  method: string,
  target: string,
  fields: Head["fields"] = {},
  rules: Partial<RouteRules> = {},
) {
  const head = { method, target, fields } as Head;
  const service = serveRoutes(ROUTES, {
    hosts: ["node.example"],
    maxBody: 100,
    slice: new TimeSlice(),
    ...rules,
  });
  const verdict = service.admit(head, {} as HttpCaller);
  const reply = (await verdict.handle?.(Buffer.from("body"), {} as HttpCaller, head)) as Reply | undefined;
  return { verdict, reply };
}
const json = { "content-type": "application/json" };

describe("routes", () => {
  it("are chosen by path and method; a HEAD is served as a GET", async () => {
    for (const method of ["GET", "HEAD"])
      expect((await served(method, "/read?q=1")).reply).toMatchObject({ status: 200, body: "1 body" });
    expect((await served("POST", "/write", json)).reply).toMatchObject({ body: "null body" });
    for (const [method, target, status] of [
      ["GET", "/none", 404],
      ["GET", "//[", 404],
      ["GET", "/write", 405],
      ["POST", "/read", 405],
      ["DELETE", "/read", 405],
    ] as const) {
      const { verdict } = await served(method, target, json);
      expect(verdict).toMatchObject({ status, close: true });
      expect(verdict.handle).toBeUndefined();
    }
  });

  it("have a reply of their own to unknown paths if it is given", async () => {
    const notFound = { status: 200, headers: "X: y\r\n", body: "a page" };
    const { verdict } = await served("GET", "/none", { origin: "http://localhost" }, { notFound });
    expect(verdict).toMatchObject({ status: 200, text: "a page" });
    expect(verdict.headers).toMatch(/^X: y\r\nAccess-Control-Allow-Origin: http:\/\/localhost\r\n/);
  });

  it("take JSON only, which other origins cannot send without asking", async () => {
    for (const type of [undefined, "text/plain", "application/jsonp", "application/json; x"])
      expect((await served("POST", "/write", { "content-type": type })).verdict.status).toBe(415);
  });

  it("refuse a body above the limit with its number", async () => {
    const length = (bytes: number) => ({ ...json, "content-length": `${bytes}` });
    expect((await served("POST", "/write", length(100))).reply?.status).toBe(200);
    const { verdict } = await served("POST", "/write", length(101));
    expect(verdict).toMatchObject({ status: 413, text: "body larger than 100 bytes\n", close: true });
  });

  it("are for the hosts and origins allowed, who are told so", async () => {
    const status = async (fields: Head["fields"], rules?: Partial<RouteRules>) =>
      (await served("GET", "/read", fields, rules)).reply?.status ??
      (await served("GET", "/read", fields, rules)).verdict.status;
    expect(await status({ host: "node.example:8551" })).toBe(200);
    expect(await status({ host: "evil.example" })).toBe(403);
    expect(await status({ host: "a b" })).toBe(400);
    expect(await status({ origin: "https://evil.example" })).toBe(403);
    expect(await status({ origin: "https://good.example" }, { origins: ["https://good.example"] })).toBe(200);
    const { reply } = await served("GET", "/read", { origin: "http://localhost:3000" });
    expect(reply?.headers).toBe(
      "Content-Type: text/plain\r\nAccess-Control-Allow-Origin: http://localhost:3000\r\nVary: Origin\r\n",
    );
  });

  it("answer a preflight", async () => {
    const { verdict } = await served("OPTIONS", "/write", { origin: "http://localhost:3000" });
    expect(verdict).toMatchObject({ status: 204, text: "", close: false });
    expect(verdict.headers).toContain("Access-Control-Allow-Origin: http://localhost:3000\r\n");
    expect(verdict.headers).toContain("Access-Control-Allow-Methods: GET, POST\r\n");
  });
});

it("allows IP addresses and no host; names with any port, but not as parts of others", () => {
  const allowed = (host: string | undefined) =>
    hostFault(host, { names: ["Node.example", "localhost"] }) === undefined;
  for (const host of [
    undefined,
    "",
    "10.0.0.1",
    "10.0.0.1:80",
    "::1",
    "[::1]:80",
    "localhost",
    "node.example:1",
  ])
    expect(allowed(host), host).toBe(true);
  for (const host of [
    "evil.example",
    "localhost.evil.example",
    "localhost:x",
    "[localhost]:1x",
    "alocalhost:1",
  ])
    expect(allowed(host), host).toBe(false);
  expect(hostFault("evil.example", { names: ["*"] })).toBeUndefined();
});

it("allows origins by letter, in any case, or by a pattern with one star", () => {
  const origins = ["https://good.example", "https://*.good.example:*"];
  const patterns = ["https://*.good.example"];
  expect(originMatches("HTTPS://Good.example", origins)).toBe(true);
  expect(originMatches("https://a.good.example", patterns)).toBe(true);
  for (const origin of [
    "http://a.good.example",
    "https://good.example",
    "https://a.good.example.evil",
    "null",
  ])
    expect(originMatches(origin, patterns), origin).toBe(false);
  // both ends of a pattern must have their own text
  expect(originMatches("https://aba", ["https://ab*ba"])).toBe(false);
  expect(originMatches("anything", ["*"])).toBe(true);
});

it.each([
  ["application/json", "application/json"],
  ["  Application/JSON ; charset=UTF-8", "application/json"],
  ['text/plain; a="b; c" ; d=e;', "text/plain"],
  ["application/", undefined],
  ["/json", undefined],
  ["json", undefined],
  ["application/json x", undefined],
  ["application/json; charset", undefined],
  ["application/json; =x", undefined],
  ["application/json; a=", undefined],
  ['application/json; a="b', undefined],
  [undefined, undefined],
])("reads the media type of %j", (field, type) => {
  expect(mediaTypeOf(field)).toBe(type);
});

it("handles requests one after the other once the time of a turn is used up", async () => {
  const turns: (() => void)[] = [];
  const slice = {
    isDue: vi.fn(() => true).mockReturnValueOnce(false),
    yield: vi.fn(() => new Promise<void>((resolve) => turns.push(resolve))),
  };
  const handle = vi.fn((): Reply => ({ status: 200, headers: "", body: "answer" }));
  const service = serveRoutes([{ method: "GET", path: "/", handle }], { hosts: ["*"], maxBody: 0, slice });
  const request = parseHead("GET / HTTP/1.1\r\nHost: a") as Head;
  const answers = ["first", "second", "third"].map((name) => {
    const connection = { name };
    const client = new HttpCaller("", connection);
    return service.admit(request, client).handle?.(Buffer.alloc(0), client, request);
  });
  expect(handle).toHaveBeenCalledTimes(1);
  expect(answers[0]).toMatchObject({ body: "answer" });
  expect(slice.yield.mock.calls).toEqual([
    ["clients", { name: "second" }],
    ["clients", { name: "third" }],
  ]);
  turns[0]?.();
  expect(await answers[1]).toMatchObject({ body: "answer" });
  expect(handle).toHaveBeenCalledTimes(2);
  turns[1]?.();
  expect(await answers[2]).toMatchObject({ body: "answer" });
  expect(handle).toHaveBeenCalledTimes(3);
});
