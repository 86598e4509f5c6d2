import { once } from "node:events";
import type { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { Allowance } from "../budget.ts";
import type { HttpCaller } from "../client.ts";
import type { Verdict } from "../service.ts";
import { ask, budget, ok, open, serve } from "../testing/server.ts";
import type { Head } from "./head.ts";

const CLOSE = "Connection: close\r\n";
const get = (target: string, fields = "") => `GET ${target} HTTP/1.1\r\nHost: a\r\n${fields}\r\n`;
const post = (body: string, fields = "") =>
  `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${fields}\r\n${body}`;
const echo = (): Verdict => ok((body) => `[${body}]`);
const text = (of: Partial<Verdict>): Verdict => ({ status: 200, headers: "", text: "", close: false, ...of });

/** The responses in a stream: status, body and whether the connection closes. */
function responsesIn(stream: string) {
  const found: [status: number, body: string, closes: boolean][] = [];
  for (let rest = stream; rest !== ""; ) {
    const end = rest.indexOf("\r\n\r\n") + 4;
    const head = rest.slice(0, end);
    const length = Number(/^Content-Length: (\d+)\r$/m.exec(head)?.[1] ?? 0);
    found.push([Number(head.slice(9, 12)), rest.slice(end, end + length), head.includes(CLOSE)]);
    rest = rest.slice(end + length);
  }
  return found;
}

/** Reads until this many bytes or the end have come. */
async function read(socket: Socket, until: (got: string) => boolean): Promise<string> {
  let got = "";
  socket.on("data", (chunk) => {
    got += chunk;
  });
  await expect.poll(() => until(got) || socket.closed).toBe(true);
  return got;
}

describe("requests on one connection", () => {
  it("are answered in their order, also those that came before a slow one was answered", async () => {
    const ending: (() => void)[] = [];
    await serve({
      admit: ({ target }) =>
        target === "/slow" ? ok(() => new Promise((resolve) => ending.push(() => resolve("slow")))) : echo(),
    });
    const answer = ask(post("one") + get("/slow") + post("two") + get("/slow") + post("three", CLOSE));
    await expect.poll(() => ending.length).toBe(1);
    ending[0]?.();
    await expect.poll(() => ending.length).toBe(2);
    ending[1]?.();
    expect(responsesIn(await answer)).toEqual([
      [200, "[one]", false],
      [200, "slow", false],
      [200, "[two]", false],
      [200, "slow", false],
      [200, "[three]", true],
    ]);
  });

  it.each([
    ["HTTP/1.1", "", false],
    ["HTTP/1.1", CLOSE, true],
    ["HTTP/1.0", "", true],
    ["HTTP/1.0", "Connection: keep-alive\r\n", false],
  ])("in %s with %j close it: %j", async (version, fields, closes) => {
    await serve({ admit: echo });
    const first = `GET / ${version}\r\nHost: a\r\n${fields}\r\n`;
    const found = responsesIn(await ask(first + get("/", CLOSE)));
    expect(found).toEqual(
      closes
        ? [[200, "[]", true]]
        : [
            [200, "[]", false],
            [200, "[]", true],
          ],
    );
  });

  it("may come byte by byte, with empty lines before them", async () => {
    await serve({ admit: echo });
    const socket = open();
    const whole = read(socket, (got) => got.endsWith("[b]"));
    for (const byte of `\r\n\n${post("a")}\r\n${post("b")}`) {
      socket.write(byte);
      await new Promise(setImmediate);
    }
    expect(responsesIn(await whole).map(([, body]) => body)).toEqual(["[a]", "[b]"]);
    socket.destroy();
  });

  it("are judged once if their heads are equal, unless the verdict is for one request only", async () => {
    for (const isOnce of [false, true]) {
      const judged: string[] = [];
      await serve({
        admit: ({ target }) => {
          judged.push(target);
          return { ...echo(), once: isOnce };
        },
      });
      const answer = await ask(get("/a") + get("/a") + get("/a") + get("/b") + get("/a") + get("/a", CLOSE));
      expect(responsesIn(answer)).toHaveLength(6);
      expect(judged.join("")).toBe(isOnce ? "/a/a/a/b/a/a" : "/a/b/a/a");
    }
  });

  it("have the address of their client, and one connection", async () => {
    const clients: HttpCaller[] = [];
    await serve({
      admit: () => ({
        ...echo(),
        handle: (_, client) => {
          clients.push(client);
          return "";
        },
      }),
    });
    await ask(get("/") + get("/", CLOSE));
    await ask(get("/", CLOSE));
    const [first, second, other] = clients;
    expect([first?.address, second?.connection === first?.connection]).toEqual(["127.0.0.1", true]);
    expect(other?.connection).not.toBe(first?.connection);
  });
});

describe("a response", () => {
  it("to HEAD has a length, and no body", async () => {
    await serve({ admit: echo });
    const answer = await ask(`HEAD / HTTP/1.1\r\nHost: a\r\n${CLOSE}\r\n`);
    expect(answer).toMatch(/\r\nContent-Length: 2\r\n\r\n$/);
  });

  it("may be the verdict's text, or a reply with its own status and headers", async () => {
    const verdicts: Readonly<Record<string, Verdict>> = {
      "/text": text({ status: 404, headers: "X: t\r\n", text: "none" }),
      "/reply": ok(() => ({ status: 503, headers: "X: r\r\n", body: "busy" })),
      "/later": ok(async () => ({ status: 429, headers: "X: l\r\n", body: "slow" })),
    };
    await serve({ admit: ({ target }) => verdicts[target] ?? echo() });
    const answer = await ask(
      Object.keys(verdicts)
        .map((target) => get(target))
        .join("") + get("/", CLOSE),
    );
    expect(responsesIn(answer).map(([status, body]) => [status, body])).toEqual([
      [404, "none"],
      [503, "busy"],
      [429, "slow"],
      [200, "[]"],
    ]);
    expect(answer.match(/X: ./g)).toEqual(["X: t", "X: r", "X: l"]);
  });

  it("that closes the connection is the last, whatever follows", async () => {
    await serve({ admit: ({ target }) => text({ text: target, close: target === "/last" }) });
    const answer = await ask(`${get("/first")}${get("/last", "Content-Length: 100\r\n")}${get("/never")}`);
    expect(responsesIn(answer)).toEqual([
      [200, "/first", false],
      [200, "/last", true],
    ]);
  });

  it("reaches a client that has closed its own side", async () => {
    await serve({ admit: echo });
    const socket = open();
    socket.end(post("all"));
    const got = await read(socket, () => false);
    expect(responsesIn(got)).toEqual([[200, "[all]", false]]);
  });

  it("is no longer worked on once the client has left", async () => {
    const signals: AbortSignal[] = [];
    await serve({
      admit: () => ({
        ...echo(),
        handle: (_, { signal }) => {
          signals.push(signal);
          return new Promise(() => {});
        },
      }),
    });
    for (const leave of ["end", "destroy"] as const) {
      const socket = open();
      socket.write(get("/"));
      await expect.poll(() => signals.length).toBe(leave === "end" ? 1 : 2);
      expect(signals.at(-1)?.aborted).toBe(false);
      socket[leave]();
      await expect.poll(() => signals.at(-1)?.aborted).toBe(true);
      socket.destroy();
    }
  });
});

describe("a body", () => {
  it("is announced before it is sent, and refused for other expectations", async () => {
    await serve({ admit: echo });
    const socket = open();
    socket.write(post("body", "Expect: 100-Continue\r\n").slice(0, -4));
    const [first] = await once(socket, "data");
    expect(String(first)).toBe("HTTP/1.1 100 Continue\r\n\r\n");
    socket.write("body");
    expect(responsesIn(String((await once(socket, "data"))[0]))).toEqual([[200, "[body]", false]]);
    socket.destroy();
    expect(responsesIn(await ask(post("body", "Expect: tea\r\n")))).toEqual([
      [417, "417 Expectation Failed\n", true],
    ]);
    // nothing is announced where there is no body
    expect(responsesIn(await ask(post("", `Expect: 100-continue\r\n${CLOSE}`)))).toEqual([[200, "[]", true]]);
  });

  it("is held to the limit of the service, or to that of its verdict", async () => {
    await serve({
      maxBody: 10,
      admit: ({ target }) => (target === "/small" ? { ...echo(), maxBody: 3 } : echo()),
    });
    const answerTo = async (target: string, length: number) => {
      const request = post("x".repeat(length), CLOSE).replace("POST / ", `POST ${target} `);
      return responsesIn(await ask(request))[0]?.slice(0, 2);
    };
    expect(await answerTo("/", 10)).toEqual([200, `[${"x".repeat(10)}]`]);
    expect(await answerTo("/", 11)).toEqual([413, "body larger than 10 bytes\n"]);
    expect(await answerTo("/small", 3)).toEqual([200, "[xxx]"]);
    expect(await answerTo("/small", 4)).toEqual([413, "body larger than 3 bytes\n"]);
  });

  it("in chunks is refused where it is malformed, too long, or there is no memory for it", async () => {
    await serve({ admit: echo, maxBody: 1024 * 1024 }, { budget: { ...budget(), bodies: new Allowance(0) } });
    const chunked = (body: string) =>
      `POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${body}`;
    expect(responsesIn(await ask(chunked("x\r\n")))).toEqual([[400, "400 Bad Request\n", true]]);
    expect(responsesIn(await ask(chunked("100001\r\n")))).toEqual([[413, "body too large\n", true]]);
    const busy = await ask(chunked(`20000\r\n${"x".repeat(0x20000)}`));
    expect(responsesIn(busy)).toEqual([[503, "too many requests are coming in\n", true]]);
    expect(busy).toContain("\r\nRetry-After: 1\r\n");
    expect(await ask(chunked("x\r\n"))).not.toContain("Retry-After");
  });
});

describe("what is no request is refused", () => {
  it.each([
    ["an invalid head", "nonsense\r\n\r\n", 400],
    ["a head without a host", "GET / HTTP/1.1\r\n\r\n", 400],
    ["ambiguous framing", post("x", "Transfer-Encoding: chunked\r\n"), 400],
    ["an endless head", `GET / HTTP/1.1\r\nHost: a\r\n${"X: y\r\n".repeat(6000)}`, 431],
    ["more than 1,024 bytes of empty lines", "\r\n".repeat(513), 400],
  ])("%s", async (_, request, status) => {
    await serve({ admit: echo });
    const [found, ...more] = responsesIn(await ask(`${request}${get("/")}`));
    expect([found?.[0], found?.[2], more]).toEqual([status, true, []]);
  });

  it("but 1,024 bytes of empty lines between requests are not", async () => {
    await serve({ admit: echo });
    const lines = "\r\n".repeat(512);
    expect(responsesIn(await ask(`${lines}${get("/")}${lines}${get("/", CLOSE)}`))).toHaveLength(2);
  });
});

it("hands an upgraded connection over with what came after its head, after the responses before it", async () => {
  const taken: string[] = [];
  await serve({
    admit: echo,
    upgrades: ({ fields }: Head) => fields.upgrade === "echo",
    upgrade: ({ target }, socket, rest) => {
      taken.push(target, String(rest));
      socket.on("data", (chunk: Buffer) => socket.write(`<${chunk}>`));
      socket.write("taken");
    },
  });
  const socket = open();
  socket.write(`${post("a")}${get("/up", "Upgrade: echo\r\n")}rest`);
  const got = read(socket, (all) => all.endsWith("<more>"));
  await expect.poll(() => taken).toEqual(["/up", "rest"]);
  socket.write("more");
  expect(await got).toMatch(/\[a\]taken<more>$/);
  socket.destroy();
  // any other one is a request like others
  expect(responsesIn(await ask(get("/", `Upgrade: tea\r\n${CLOSE}`)))).toEqual([[200, "[]", true]]);
});
