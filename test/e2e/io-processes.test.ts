import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { rpcCall, until } from "./json-rpc.ts";
import { childrenOf } from "./process-tree.ts";
import { type StartedNode, startNode } from "./started-node.ts";

/** The I/O processes of a node: its only children. */
const ioProcessesOf = ({ child }: StartedNode): number[] => childrenOf(child.pid as number);

/** Sends bytes on a connection of its own. @returns everything that comes back, in as many responses as there are requests */
async function exchange(url: string, requests: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.end(requests);
  let text = "";
  for await (const chunk of socket) text += chunk;
  return text;
}

const request = (method: string, params: readonly unknown[] = [], id = 1) => {
  const body = JSON.stringify({ jsonrpc: "2.0", id, method, params });
  return `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
};

describe.skipIf(process.platform !== "linux")("a node with I/O processes", () => {
  let node: StartedNode;
  beforeEach(async () => {
    node = await startNode("--rpc.io-processes", "2");
  });
  afterEach(async () => {
    const children = ioProcessesOf(node);
    expect(await node.stop()).toBe(0);
    for (const pid of children) expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  });

  it("responds like a node without them: pipelined, half-closed, long, refused", async () => {
    const { http } = node.endpoints;
    expect(ioProcessesOf(node)).toHaveLength(2);
    const many = Array.from({ length: 50 }, (_, id) => request("eth_chainId", [], id)).join("");
    const ids = Array.from((await exchange(http, many)).matchAll(/"id":(\d+)/g), ([, id]) => Number(id));
    expect(ids).toEqual(Array.from({ length: 50 }, (_, id) => id));

    const code = `0x62100000${"5ff3".padStart(4, "0")}`; // returns 1 MiB of zeros
    const to = `0x${"c0de".padStart(40, "0")}`;
    const long = await rpcCall(http, "eth_call", { to, gas: "0x2000000" }, "latest", { [to]: { code } });
    expect(long).toBe(`0x${"00".repeat(0x100000)}`);

    const foreign = request("eth_chainId").replace("Host: localhost", "Host: evil.example");
    expect(await exchange(http, foreign)).toMatch(/^HTTP\/1.1 403 /);
    expect(await exchange(http, "nonsense\r\n\r\n")).toMatch(/^HTTP\/1.1 400 /);
  });

  it("serves subscriptions over WebSocket", async () => {
    const socket = new WebSocket(node.endpoints.ws);
    const heads: string[] = [];
    socket.on("message", (data) => heads.push(`${data}`));
    await new Promise((resolve) => socket.once("open", resolve));
    socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}');
    await until(
      async () => heads.length,
      (length) => length === 1,
    );
    for (let i = 0; i < 3; i++) await rpcCall(node.endpoints.http, "evm_mine");
    await until(
      async () => heads.length,
      (length) => length === 4,
    );
    expect(heads.slice(1).map((head) => Number(JSON.parse(head).params.result.number))).toEqual([1, 2, 3]);
    socket.close();
  });

  it("outlives both of them, and gets new ones", async () => {
    const first = ioProcessesOf(node);
    for (const pid of first) process.kill(pid, "SIGKILL");
    await until(
      async () => ioProcessesOf(node).filter((pid) => !first.includes(pid)).length,
      (count) => count === 2,
    );
    expect(await rpcCall(node.endpoints.http, "eth_blockNumber")).toBe("0x0");
    expect(node.printed.stderr).toContain("an I/O process is replaced");
  });
});
