import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLogger } from "../../../platform/telemetry/logger.ts";
import { createNode, type Node } from "../../create-node.ts";
import { ask, callAs, openSession, ownOrigin, sessionOf } from "../../testing/page-client.ts";
import { answersTo, socketOf, streamOf } from "../../testing/page-stream.ts";

const lines: string[] = [];
let closed: Node;
let open: Node;
let readOnly: Node;

beforeAll(async () => {
  const { logger } = createLogger({
    verbosity: 5,
    format: "text",
    now: Date.now,
    write: (line) => lines.push(line),
  });
  closed = await createNode({ dashboard: { port: 0, hosts: ["box.lan", "node.example:443"] }, logger });
  open = await createNode({ dashboard: { port: 0, publicRead: true } });
  readOnly = await createNode({ dashboard: { port: 0, readOnly: true } });
});
afterAll(() => Promise.all([closed, open, readOnly].map((node) => node?.stop())));

const json = (node: Node, more: Readonly<Record<string, string | undefined>> = {}) => ({
  origin: ownOrigin(node),
  "content-type": "application/json",
  ...more,
});
const mine = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "evm_mine", params: [] });
const height = (node: Node) => Number(node.chain.head.header.number);

describe("rule 1: requests are addressed to this listener", () => {
  const port = () => new URL(closed.endpoints.dashboard as string).port;

  it.each(["localhost", "127.0.0.1", "[::1]", "BOX.lan"])("answers to %s with its port", async (name) => {
    expect((await ask(closed, { headers: { host: `${name}:${port()}` } })).status).toBe(200);
  });

  it("answers to a name with a port of its own, for a proxy in front", async () => {
    expect((await ask(closed, { headers: { host: "node.example:443" } })).status).toBe(200);
  });

  it.each(["evil.example", "localhost", "127.0.0.1:1", "box.lan", "localhost.evil.example", "", "[::1]"])(
    "refuses `%s`, whatever is asked for",
    async (host) => {
      for (const path of ["/", "/api", "/nothing"])
        expect(await ask(closed, { path, headers: { host } })).toMatchObject({ status: 403 });
      const sent = { method: "POST", path: "/api", headers: json(open, { host }), body: mine } as const;
      expect((await ask(open, sent)).status).toBe(403);
      expect(height(open)).toBe(0);
    },
  );
});

describe("rule 2: calls come from the dashboard's own page, as JSON", () => {
  it.each([undefined, "null", "http://evil.example", "https://127.0.0.1", "http://localhost:1"])(
    "refuses the origin %s",
    async (origin) => {
      const session = await sessionOf(open);
      const headers = json(open, { origin, authorization: `Bearer ${session}` });
      expect((await ask(open, { method: "POST", path: "/api", headers, body: mine })).status).toBe(403);
      expect(height(open)).toBe(0);
    },
  );

  it.each([undefined, "text/plain", "application/x-www-form-urlencoded"])(
    "refuses the type %s",
    async (type) => {
      const headers = json(open, { "content-type": type });
      expect((await ask(open, { method: "POST", path: "/api", headers, body: mine })).status).toBe(415);
    },
  );

  it("never shares responses with another origin", async () => {
    const origin = "http://evil.example";
    for (const method of ["GET", "POST", "OPTIONS"] as const) {
      const { headers, status } = await ask(open, {
        method,
        path: "/api",
        headers: json(open, { origin }),
        body: mine,
      });
      expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
      expect(status).toBeGreaterThanOrEqual(400);
    }
  });

  it("opens the stream only for its own page", async () => {
    expect(await streamOf(open, { origin: ownOrigin(open) })).toBe("open");
    for (const options of [{}, { origin: "http://evil.example" }, { origin: "null" }])
      expect(await streamOf(open, options)).toBe("refused");
    expect(await streamOf(open, { origin: ownOrigin(open), host: "evil.example" })).toBe("refused");
  });

  it("serves events over the stream, and no methods", async () => {
    const socket = await socketOf(open, { origin: ownOrigin(open) });
    const answers = await answersTo(
      socket,
      ["dashboard_subscribe", ["live"]],
      ["evm_mine", []],
      ["eth_subscribe", ["newHeads"]],
    );
    expect(answers[0]).toMatchObject({ result: expect.stringMatching(/^0x/) });
    expect(answers.slice(1)).toMatchObject([{ error: { code: -32601 } }, { error: {} }]);
    socket.terminate();
  });
});

describe("rule 3: a link admits one page", () => {
  it("exchanges its token once, for another that appears in no response and no log", async () => {
    const link = closed.dashboardLink() as string;
    const first = await openSession(closed, link);
    const { session } = JSON.parse(first.body);
    expect(session).toMatch(/^[0-9a-f]{64}$/);
    expect((await openSession(closed, link)).status).toBe(401);
    const answered = await callAs(closed, session, "dashboard_overview");
    expect(answered.status).toBe(200);
    expect(answered.body + lines.join("")).not.toContain(session);
    expect(answered.body + lines.join("")).not.toContain(link.split("#token=")[1]);
  });

  it("responds to nobody else, unless reading is public", async () => {
    for (const session of [undefined, "", "0".repeat(64)]) {
      expect((await callAs(closed, session, "dashboard_overview")).status).toBe(401);
      expect((await callAs(closed, session, "kaia_blockNumber")).status).toBe(401);
    }
    expect(JSON.parse((await callAs(open, undefined, "kaia_blockNumber")).body).result).toBe("0x0");
    expect((await callAs(open, "0".repeat(64), "kaia_blockNumber")).status).toBe(401);
  });

  it.each([
    "evm_mine",
    "personal_listAccounts",
    "kaia_sendTransaction",
    "anvil_setBalance",
    "dashboard_touch",
  ])("does not let a public reader call %s", async (method) => {
    expect(JSON.parse((await callAs(open, undefined, method)).body).error.code).toBe(-32601);
  });

  it("serves only the methods the page needs", async () => {
    const session = await sessionOf(open);
    for (const method of [
      "admin_exportChain",
      "debug_setHead",
      "admin_startHTTP",
      "eth_sendTransaction",
      "rpc_modules",
    ])
      expect(JSON.parse((await callAs(open, session, method)).body).error.code).toBe(-32601);
  });

  it("opens a stream with the session's token, or to public readers", async () => {
    const origin = ownOrigin(closed);
    expect(await streamOf(closed, { origin })).toBe("refused");
    expect(await streamOf(closed, { origin, session: "0".repeat(64) })).toBe("refused");
    expect(await streamOf(closed, { origin, session: await sessionOf(closed) })).toBe("open");
  });

  it("allows no changes if it is read-only", async () => {
    const session = await sessionOf(readOnly);
    expect(JSON.parse((await callAs(readOnly, session, "evm_mine")).body).error.code).toBe(-32601);
    expect(JSON.parse((await callAs(readOnly, session, "dashboard_overview")).body).result.mayWrite).toBe(
      false,
    );
    expect(height(readOnly)).toBe(0);
  });

  it("lets a session make the permitted changes", async () => {
    const before = height(open);
    await callAs(open, await sessionOf(open), "evm_mine");
    expect(height(open)).toBe(before + 1);
  });
});

describe("rule 4: the headers of every response", () => {
  it("forbids everything but the page's own files", async () => {
    for (const asked of [
      {},
      { path: "/nothing" },
      { method: "POST", path: "/api", headers: json(open), body: mine },
    ] as const) {
      const { headers } = await ask(open, asked);
      expect(headers).toMatchObject({
        "content-security-policy":
          "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; " +
          "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "cache-control": "no-store",
      });
    }
  });
});

// rule 5: src/api/dashboard/page.test.ts for the sources, "hostile texts…" of test/e2e/dashboard/checks.ts in a browser

describe("rule 6: passphrases", () => {
  it("appear in no log and no response, right or wrong", async () => {
    const session = await sessionOf(closed);
    const secret = "a passphrase that stands nowhere";
    const [account] = JSON.parse((await callAs(closed, session, "kaia_accounts")).body).result;
    const { body } = await callAs(closed, session, "personal_unlockAccount", [account, secret, 60]);
    expect(body + lines.join("")).not.toContain(secret);
  });

  it("are not accepted where other machines could read them", async () => {
    const exposed = await createNode({
      dashboard: { port: 0, host: "0.0.0.0", hosts: ["0.0.0.0"] },
      allowExposed: true,
    });
    try {
      const session = await sessionOf(exposed);
      expect(JSON.parse((await callAs(exposed, session, "kaia_blockNumber")).body).result).toBe("0x0");
      for (const method of [
        "personal_unlockAccount",
        "personal_newAccount",
        "personal_importRawKey",
        "dashboard_addSignature",
      ])
        expect(JSON.parse((await callAs(exposed, session, method)).body).error.code).toBe(-32601);
    } finally {
      await exposed.stop();
    }
  });
});

// rule 7: page.test.ts asserts that what sends shows a panel first; "nothing is sent on a chain…" of checks.ts that its id is asked for

describe("rule 8: limits", () => {
  it("accepts a body of 256 KiB and none larger", async () => {
    const text = (size: number) =>
      JSON.stringify({ jsonrpc: "2.0", id: 1, method: "dashboard_search", params: ["x".repeat(size)] });
    const post = (size: number) =>
      ask(open, { method: "POST", path: "/api", headers: json(open), body: text(size) });
    expect((await post(260_000)).status).toBe(200);
    expect((await post(263_000)).status).toBe(413);
  });

  it("accepts 20 calls in a batch", async () => {
    const batch = (size: number) =>
      JSON.stringify(Array(size).fill({ jsonrpc: "2.0", id: 1, method: "kaia_blockNumber", params: [] }));
    const post = (body: string) => ask(open, { method: "POST", path: "/api", headers: json(open), body });
    expect(JSON.parse((await post(batch(20))).body)).toHaveLength(20);
    expect(JSON.parse((await post(batch(21))).body)).toMatchObject({ error: { code: -32600 } });
  });
});
