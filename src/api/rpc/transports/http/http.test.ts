import { connect } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Allowance } from "../../../../platform/http/budget.ts";
import { BodyBuffer } from "../../../../platform/http/connection/body-buffer.ts";
import { ChunkedBody } from "../../../../platform/http/connection/chunked.ts";
import { framingOf, type Head, parseHead } from "../../../../platform/http/connection/head.ts";
import type { Listener } from "../../../../platform/http/listener.ts";
import { admit } from "../../../../platform/http/routes/admission.ts";
import { hostFault } from "../../../../platform/http/routes/hosts.ts";
import { originMatches } from "../../../../platform/http/routes/origins.ts";
import { Registry } from "../../engine/registry.ts";
import { RpcServer } from "../../engine/server.ts";
import { web3Handlers } from "../../handlers/node/web3.ts";
import { web3 } from "../../spec/node/web3.ts";
import { rpcFront } from "./front.ts";
import { listenRpc } from "./server.ts";

const registry = new Registry().mount("web3", web3, web3Handlers("test"));
const access = registry.access({ unsafe: true });
let listener: Listener;

beforeAll(async () => {
  listener = await listenRpc(new RpcServer(), access, {
    host: "127.0.0.1",
    port: 0,
    cors: [],
    hosts: ["localhost"],
  });
});
afterAll(() => listener.close());

/** Sends pieces, each in its own write, and reads until the server closes. */
function exchange(pieces: readonly string[], halfClose = false): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port: listener.port, host: "127.0.0.1", allowHalfOpen: true });
    let text = "";
    socket.setNoDelay(true).setEncoding("utf8");
    socket.on("data", (chunk: string) => {
      text += chunk;
    });
    socket.on("end", () => {
      socket.end();
      resolve(text);
    });
    socket.on("error", reject);
    const send = (i: number) => {
      const piece = pieces[i];
      if (piece === undefined) return halfClose ? socket.end() : undefined;
      return socket.write(piece, () => setImmediate(send, i + 1));
    };
    send(0);
  });
}

const body = (id: number) => `{"jsonrpc":"2.0","id":${id},"method":"web3_clientVersion"}`;
const post = (id: number, extra = "", content = body(id)) =>
  `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${content.length}\r\n${extra}\r\n${content}`;
const CLOSE = "Connection: close\r\n";
const answers = (text: string) => [...text.matchAll(/\{"jsonrpc".*\}/g)].map(([json]) => JSON.parse(json).id);

describe("a connection", () => {
  it("responds to pipelined requests in order", async () => {
    expect(answers(await exchange([post(1) + post(2) + post(3, CLOSE)]))).toEqual([1, 2, 3]);
  });

  it("reads a request that arrives byte by byte", async () => {
    expect(answers(await exchange([...post(1, CLOSE)]))).toEqual([1]);
  });

  it("ends each response with a line feed, also a long one", async () => {
    const asked = `{"id":"${"x".repeat(200)}","method":"web3_clientVersion"},`.repeat(600);
    const batch = post(1, CLOSE, `[${asked.slice(0, -1)}]`);
    for (const [request, answer] of [
      [post(1, CLOSE), /^\{[^\n]+\}\n$/],
      [batch, /^\[[^\n]{100000,}\]\n$/],
    ] as const) {
      const [, content] = (await exchange([request])).split("\r\n\r\n");
      expect(content?.replaceAll(/(^|\r\n)[0-9a-f]+\r\n/g, "")).toMatch(answer);
    }
  });

  it("responds to a client that has closed its side", async () => {
    expect(answers(await exchange([post(4)], true))).toEqual([4]);
  });

  it("reads chunked bodies, even if chunks are split", async () => {
    const head = `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n${CLOSE}\r\n`;
    const content = body(5);
    const chunks = `10\r\n${content.slice(0, 16)}\r\n${(content.length - 16).toString(16)};x=y\r\n${content.slice(16)}\r\n0\r\nTrailer: 1\r\n\r\n`;
    expect(answers(await exchange([head, ...chunks]))).toEqual([5]);
  });

  it("sends 100 Continue to a client that waits for it", async () => {
    const text = await exchange([post(6, `Expect: 100-continue\r\n${CLOSE}`)]);
    expect(text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
    expect(answers(text)).toEqual([6]);
  });

  it("keeps HTTP/1.0 connections only when asked", async () => {
    const old = post(7).replace("HTTP/1.1", "HTTP/1.0");
    expect(await exchange([old])).toContain("Connection: close");
    const kept = post(8, "Connection: keep-alive\r\n").replace("HTTP/1.1", "HTTP/1.0");
    expect(answers(await exchange([kept + old]))).toEqual([8, 7]);
  });

  it("reports a body that is too large before closing", async () => {
    const text = await exchange([post(9).replace(/Content-Length: \d+/, "Content-Length: 52428801")]);
    expect(text).toMatch(/^HTTP\/1\.1 413 /);
    expect(text).toContain("content length too large (52428801>5242880)\n");
  });

  it.each([
    ["garbage", "\x16\x03\x01\r\n\r\n", 400],
    ["no host", "GET / HTTP/1.1\r\n\r\n", 400],
    ["a folded field", "GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n", 400],
    ["two lengths", `${post(1).replace("\r\n\r\n", "\r\nContent-Length: 3\r\n\r\n")}`, 400],
    ["length and chunks", `${post(1, "Transfer-Encoding: chunked\r\n")}`, 400],
    ["an endless head", `GET / HTTP/1.1\r\nX: ${"x".repeat(70_000)}`, 431],
    ["a foreign host", post(1, CLOSE).replace("localhost", "evil.example"), 403],
    ["another expectation", post(1, "Expect: tea\r\n"), 417],
  ])("refuses %s and closes", async (_, request, status) => {
    expect(await exchange([request])).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  });
});

describe("framing", () => {
  it("decodes chunks however they are split", () => {
    const pieces = fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { maxLength: 6 });
    fc.assert(
      fc.property(pieces, fc.array(fc.integer({ min: 1, max: 9 })), (chunks, cuts) => {
        const parts = chunks.map((chunk) =>
          Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from("\r\n")]),
        );
        const wire = Buffer.concat([...parts, Buffer.from("0\r\n\r\nNEXT")]);
        const body = new BodyBuffer(1000, new Allowance(0));
        const decoder = new ChunkedBody(1000, body);
        let at = 0;
        for (const cut of [...cuts, wire.length]) {
          if (!decoder.complete) at += decoder.take(wire.subarray(at, at + cut));
        }
        expect(body.hand().toString()).toBe(Buffer.concat(chunks).toString());
        expect(wire.toString("latin1", at)).toBe("NEXT");
      }),
    );
  });

  it("never throws on a head, whatever it contains", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const head = parseHead(`GET / HTTP/1.1\r\nHost: a\r\n${text}`);
        if (typeof head !== "number") framingOf(head);
      }),
    );
  });
});

describe("rules", () => {
  it("allow IP addresses and listed names", () => {
    for (const host of ["127.0.0.1:80", "10.1.2.3", "[::1]:8551", "localhost:8551", undefined])
      expect(hostFault(host, { names: ["localhost"] })).toBeUndefined();
    for (const host of [
      "evil.example",
      "[::1]",
      "LOCALHOST",
      "localhost.evil.example",
      "127.0.0.1.evil.example",
    ])
      expect(hostFault(host, { names: ["localhost"] })).toBe("foreign");
    expect(hostFault("evil.example", { names: ["*"] })).toBeUndefined();
  });

  // Measured on the reference node v2.2.1.
  it.each([
    ["POST / HTTP/1.1", "Origin: https://a.example", 415, true],
    ["PATCH / HTTP/1.1", "Origin: https://a.example", 415, false],
    ["POST / HTTP/1.1", "Origin: ", 415, false],
    ["OPTIONS / HTTP/1.1", "Origin: https://a.example\r\nAccess-Control-Request-Method: PATCH", 200, false],
    ["OPTIONS / HTTP/1.1", "Origin: https://a.example\r\nAccess-Control-Request-Method: post", 200, true],
    ["GET /? HTTP/1.1", "Origin: https://a.example", 200, true],
    ["GET /?a HTTP/1.1", "Origin: https://a.example", 415, true],
    ["OPTIONS * HTTP/1.1", "Origin: https://a.example", 200, false],
  ])("answer %s with %s", (line, field, status, shared) => {
    const head = parseHead(`${line}\r\nHost: a\r\n${field}`) as Head;
    const verdict = admit(
      head,
      rpcFront({ cors: ["*"], hosts: ["*"], maxBody: 1000 }, () => ""),
    );
    expect([verdict.status, verdict.headers.includes("Access-Control-Allow-Origin")]).toEqual([
      status,
      shared,
    ]);
  });

  it.each([
    ["POST / HTTP/1.1\r\nHost: a b", 400, true],
    ["POST / HTTP/1.1\r\nHost: a\r\nContent-Length: x", 400, true],
    ["POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked", 400, true],
    ["POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1001", 413, true],
    ["POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000", 415, false],
    ["POST / HTTP/1.1\r\nHost: other\r\nContent-Length: 1", 403, false],
    ["PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1", 405, false],
    ["GET / HTTP/1.1\r\nHost: a", 200, false],
    ["POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 1000", 200, false],
  ])(
    "answer %j with %d, and close the connection where message boundaries are ambiguous",
    (text, status, close) => {
      const verdict = admit(
        parseHead(text) as Head,
        rpcFront({ cors: [], hosts: ["a"], maxBody: 1000 }, () => ""),
      );
      expect([verdict.status, verdict.close]).toEqual([status, close]);
    },
  );

  it("match whole origins, or one `*`", () => {
    expect(originMatches("https://app.example", ["https://app.example"])).toBe(true);
    expect(originMatches("https://a.app.example", ["https://*.app.example"])).toBe(true);
    expect(originMatches("https://app.example.evil", ["https://app.example"])).toBe(false);
  });
});
