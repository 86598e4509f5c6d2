import { describe, expect, it } from "vitest";
import { type Head, parseHead } from "../connection/head.ts";
import type { Verdict } from "../service.ts";
import { ask, serve } from "../testing/server.ts";
import { admit, type Front, type Route } from "./admission.ts";

const fine: Verdict = { status: 200, headers: "", text: "fine", close: false };
const calls: Route = {
  methods: { only: new Set(["POST"]) },
  origins: { exactly: new Set(["http://a:80"]) },
  mediaTypes: new Set(["application/json"]),
  body: { max: 10, tooLarge: (length) => `${length} bytes are too many` },
  admitted: fine,
};
const front: Front = {
  hosts: { exactly: new Set(["a:80"]) },
  refusals: { close: true, headers: "X: refused\r\n" },
  route: ({ target }) => (target === "/call" ? calls : { admitted: { ...fine, status: 404 } }),
};

function headOf(line: string, ...fields: string[]): Head {
  return parseHead([`${line} HTTP/1.0`, ...fields].join("\r\n")) as Head;
}

const OWN = ["Host: A:80", "Origin: http://A:80", "Content-Type: application/json"];

describe("admission", () => {
  it.each([
    ["an allowed call", "POST /call", OWN, 200],
    ["a host without its port", "POST /call", ["Host: a", ...OWN.slice(1)], 403],
    ["no host", "POST /call", OWN.slice(1), 403],
    ["another method", "GET /call", OWN, 405],
    ["no origin where a page of its own is demanded", "POST /call", [OWN[0], OWN[2]], 403],
    ["another origin", "POST /call", [OWN[0], "Origin: http://a:81", OWN[2]], 403],
    ["no type", "POST /call", OWN.slice(0, 2), 415],
    ["another type", "POST /call", [...OWN.slice(0, 2), "Content-Type: text/plain"], 415],
    ["the largest body", "POST /call", [...OWN, "Content-Length: 10"], 200],
    ["a larger one", "POST /call", [...OWN, "Content-Length: 11"], 413],
    ["a larger one of another type", "POST /call", [...OWN.slice(0, 2), "Content-Length: 11"], 413],
    ["a route without rules", "PUT /other", ["Host: a:80", "Content-Length: 11"], 404],
  ])("answers %s", (_, line, fields, status) => {
    const verdict = admit(headOf(line, ...(fields as string[])), front);
    expect(verdict.status).toBe(status);
    const isRefusal = status !== 200 && status !== 404;
    expect([verdict.close, verdict.headers]).toEqual(isRefusal ? [true, "X: refused\r\n"] : [false, ""]);
  });

  it("hands the route's limit on, for bodies whose length is not declared", () => {
    expect(admit(headOf("POST /call", ...OWN, "Transfer-Encoding: chunked"), front).maxBody).toBe(10);
  });

  it("tells the length of a body that is too large", () => {
    const { text } = admit(headOf("POST /call", ...OWN, "Content-Length: 11"), front);
    expect(text).toBe("11 bytes are too many\n");
  });
});

it("holds bodies without a declared length to their route's limit", async () => {
  await serve({ admit: (head) => admit(head, { ...front, hosts: { names: ["*"] } }) });
  const request = (chunk: string) =>
    `POST /call HTTP/1.1\r\n${OWN.join("\r\n")}\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}\r\n0\r\n\r\n`;
  expect(await ask(request("a\r\n0123456789"))).toMatch(/^HTTP\/1\.1 200 /);
  expect(await ask(request("b\r\n01234567890"))).toMatch(/^HTTP\/1\.1 413 /);
});
