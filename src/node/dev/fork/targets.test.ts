import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createNode, type Node } from "../../create-node.ts";

async function serve(server: Server): Promise<string> {
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The response of a node to anybody who has found its HTTP port. */
async function ask(node: Node, method: string, ...params: unknown[]): Promise<string> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const init = { method: "POST", headers: { "content-type": "application/json" }, body };
  const response = await fetch(node.endpoints.http as string, init);
  const { error, result } = (await response.json()) as { error?: { message: string }; result?: unknown };
  return error?.message ?? JSON.stringify(result);
}

const http = { port: 0 };
const forking = (jsonRpcUrl: string) => ({ forking: { jsonRpcUrl } });
const FORBIDDEN = "is not an address of the public internet";

describe("a fork requested over a port", () => {
  it.each([
    "http://127.0.0.1:1",
    "http://2130706433:1",
    "http://0177.0.0.1:1",
    "http://0x7f.1:1",
    "http://[::1]:1",
    "http://[::ffff:10.0.0.1]:1",
    "http://[fe80::1]:1",
    "http://[fd00::1]:1",
    "http://0.0.0.0:1",
    "http://10.1.2.3",
    "http://172.31.255.255",
    "http://192.168.1.1",
    "http://169.254.169.254/latest/meta-data",
    "http://localhost:1",
  ])("does not come from %s", async (url) => {
    await using node = await createNode({ http });
    expect(await ask(node, "anvil_reset", forking(url))).toContain(FORBIDDEN);
    expect(await ask(node, "hardhat_reset", forking(url))).toContain(FORBIDDEN);
  });

  it("must have an HTTP URL", async () => {
    await using node = await createNode({ http });
    expect(await ask(node, "anvil_reset", forking("file:///etc/passwd"))).toContain("begins with http://");
  });

  it("may have the URL configured by the operator, or any with the flag", async () => {
    await using origin = await createNode({ http });
    const url = origin.endpoints.http as string;
    await using fork = await createNode({ http, fork: { url } });
    expect(await ask(fork, "anvil_reset", forking(`${url}/path`))).toBe("null");
    expect(await ask(fork, "anvil_setRpcUrl", url)).toBe("null");
    await using plain = await createNode({ http });
    expect(await ask(plain, "anvil_reset", forking(url))).toContain(FORBIDDEN);
    await plain.provider.request({ method: "anvil_reset", params: [forking(url)] });
    expect(await ask(plain, "anvil_reset", forking(url))).toBe("null");
    await using open = await createNode({ http, allowPrivateForks: true });
    expect(await ask(open, "anvil_reset", forking(url))).toBe("null");
  });

  it("is not moved to a private network by setRpcUrl, which fails immediately", async () => {
    await using origin = await createNode({ http });
    let hits = 0;
    const inner = await serve(
      createServer((_, response) => {
        hits++;
        response.end();
      }),
    );
    await using fork = await createNode({ http, fork: { url: origin.endpoints.http as string, retries: 0 } });
    for (const url of [inner, inner.replace("127.0.0.1", "localhost")])
      expect(await ask(fork, "anvil_setRpcUrl", url)).toContain(FORBIDDEN);
    expect(await ask(fork, "eth_getBalance", `0x${"12".repeat(20)}`, "latest")).toBe('"0x0"');
    expect(hits).toBe(0);
  });
});

describe("a malicious remote node", () => {
  it("is not followed to other hosts by redirects", async () => {
    let hits = 0;
    const inner = await serve(
      createServer((_, response) => {
        hits++;
        response.end();
      }),
    );
    const outer = await serve(
      createServer((_, response) => void response.writeHead(307, { location: inner }).end()),
    );
    await expect(createNode({ fork: { url: outer, retries: 0 } })).rejects.toThrow(
      "it responds with HTTP 307",
    );
    expect(hits).toBe(0);
  });

  const answer = (message: (id: number) => unknown) =>
    createServer((request, response) => {
      let text = "";
      request.on("data", (part) => (text += part));
      request.on("end", () => {
        const asked = [JSON.parse(text)].flat() as { id: number }[];
        response.end(JSON.stringify(asked.map(({ id }) => message(id))));
      });
    });

  it.each<[string, Server, string]>([
    [
      "with no JSON",
      createServer((_, r) => void r.end("<html>")),
      "its response to eth_chainId and others is not JSON",
    ],
    ["too deep", createServer((_, r) => void r.end("[".repeat(100_000))), "JSON of more than 4096 levels"],
    ["without end", createServer((_, r) => flood(r)), "its response has more than 33554432 bytes"],
    [
      "packed",
      createServer((_, r) => void r.writeHead(200, { "content-encoding": "gzip" }).end("x")),
      "is compressed (gzip)",
    ],
    ["with another id", answer((id) => ({ id: id + 7, result: "0x1" })), "has an unknown id"],
    ["with a huge quantity", answer((id) => ({ id, result: `0x${"f".repeat(1_000_000)}` })), "has no block"],
    ["with no error", answer((id) => ({ id, error: "no" })), "is an error without code and message"],
  ])("is named when it responds with %s", async (_, server, reason) => {
    const url = await serve(server);
    await expect(createNode({ fork: { url, retries: 0 } })).rejects.toThrow(reason);
  });

  it("is abandoned if it takes too long, however slowly it keeps responding", async () => {
    const url = await serve(
      createServer((_, response) => {
        const drip = setInterval(() => response.write(" "), 20);
        response.on("close", () => clearInterval(drip));
      }),
    );
    await expect(createNode({ fork: { url, retries: 0, timeoutMs: 300 } })).rejects.toThrow(
      "no response within 300 ms",
    );
  });
});

/** Sends for as long as the other side reads. */
function flood(response: NodeJS.WritableStream): void {
  const piece = Buffer.alloc(1 << 20, "a");
  const send = () => {
    while (response.write(piece));
  };
  response.on("drain", send);
  send();
}
