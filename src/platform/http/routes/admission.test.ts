import { describe, expect, it } from "vitest";
import { TimeSlice } from "../../runtime/turns/time-slice.ts";
import type { HttpCaller } from "../client.ts";
import type { Head } from "../connection/head.ts";
import type { Reply } from "../service.ts";
import { hostAllowed } from "./hosts.ts";
import { mediaTypeOf } from "./media-type.ts";
import { originAllowed } from "./origins.ts";
import { type Route, type RouteRules, serveRoutes } from "./routes.ts";

const ECHO: Route["handle"] = ({ query, body }) => ({
  ...{ status: 200, headers: "Content-Type: text/plain\r\n" },
  body: `${query.get("q")} ${body}`,
});
const ROUTES: readonly Route[] = [
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

  it("refuse a body above the limit with its number, and keep the connection", async () => {
    const { verdict } = await served("POST", "/write", json);
    expect(verdict).toMatchObject({ status: 413, text: "body larger than 100 bytes\n", close: false });
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
  const allowed = (host: string | undefined) => hostAllowed(host, ["Node.example", "localhost"]);
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
  expect(hostAllowed("evil.example", ["*"])).toBe(true);
});

it("allows origins by letter, in any case, or by a pattern with one star", () => {
  const origins = ["https://good.example", "https://*.good.example:*"];
  const patterns = ["https://*.good.example"];
  expect(originAllowed("HTTPS://Good.example", origins)).toBe(true);
  expect(originAllowed("https://a.good.example", patterns)).toBe(true);
  for (const origin of [
    "http://a.good.example",
    "https://good.example",
    "https://a.good.example.evil",
    "null",
  ])
    expect(originAllowed(origin, patterns), origin).toBe(false);
  // both ends of a pattern must have their own text
  expect(originAllowed("https://aba", ["https://ab*ba"])).toBe(false);
  expect(originAllowed("anything", ["*"])).toBe(true);
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
