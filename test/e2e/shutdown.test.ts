import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { afterEach, beforeEach, expect, it } from "vitest";
import { WebSocket } from "ws";
import { until } from "./json-rpc.ts";
import { startKairn } from "./kairn-process.ts";
import { type StartedNode, startNode } from "./started-node.ts";
import { TransferLoad } from "./transfer-load.ts";

let node: StartedNode;
beforeEach(async () => {
  node = await startNode();
});
afterEach(() => {
  node.child.kill("SIGKILL");
});

it.each(["SIGINT", "SIGTERM"] as const)("%s stops an idle node, with exit code 0", async (signal) => {
  node.child.kill(signal);
  expect(await node.exited).toBe(0);
});

it("Ctrl-C stops a node under load with open WebSocket and IPC connections", async () => {
  const { endpoints, chainId, accounts } = node;
  const socket = new WebSocket(endpoints.ws);
  await new Promise((resolve) => socket.once("open", resolve));
  socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}');
  const pipe = connect(endpoints.ipc);
  await new Promise((resolve) => pipe.once("connect", resolve));
  const closed = Promise.all(
    [socket, pipe].map((one) => new Promise((resolve) => one.once("close", resolve))),
  );

  const reported = new Map<string, string>();
  const keys = accounts.map(({ privateKey }) => privateKey);
  const load = new TransferLoad(endpoints.http, keys, chainId, reported);
  await until(
    async () => reported.size,
    (size) => size > 20,
  );
  node.child.kill("SIGINT");
  expect(await node.exited).toBe(0);
  await closed;
  await load.end();
});

it("SIGTERM stops a node that is still waiting for the chain it forks from", async () => {
  const silent = createServer((socket) => {
    socket.on("error", () => {});
    socket.resume();
  }).listen(0, "127.0.0.1");
  await once(silent, "listening");
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const { child, exited, printed } = startKairn([
    "dev",
    "--fork-url",
    url,
    "--rpcport",
    "0",
    "--wsport",
    "0",
  ]);
  await once(silent, "connection");
  child.kill("SIGTERM");
  expect(await exited).toBe(1);
  expect(printed.stderr).toContain("stop");
  silent.close();
});
