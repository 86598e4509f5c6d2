// Connects many WebSocket clients, each with subscriptions to headers and logs, seals blocks, and compares what each
// client received: every block and every log once, in order. `--clients N`, `--blocks N`.
import { parseArgs } from "node:util";
import { WebSocket } from "ws";
import { createNode } from "../../src/node/create-node.ts";

/** Emits one log without topics or data: 0 0 LOG0. */
const LOGGER = "0x60006000a000";
const TIMEOUT_MS = 120_000;

const { values } = parseArgs({
  options: { clients: { type: "string", default: "1000" }, blocks: { type: "string", default: "100" } },
});
const clients = Number(values.clients);
const blocks = Number(values.blocks);

interface Client {
  readonly socket: WebSocket;
  readonly heads: number[];
  readonly logs: number[];
}

const node = await createNode({ sealing: { kind: "manual" }, ws: { port: 0, host: "127.0.0.1" } });
const call = (method: string, ...params: unknown[]) => node.provider.request({ method, params });
const [from] = (await call("eth_accounts")) as string[];
const contract = `0x${"10".repeat(20)}`;
await call("hardhat_setCode", contract, LOGGER);

const connected = performance.now();
const all = await Promise.all(Array.from({ length: clients }, connect));
const sealed = performance.now();
for (let i = 0; i < blocks; i++) {
  await call("eth_sendTransaction", { from, to: contract, gas: "0x186a0" });
  await call("evm_mine");
}
await untilReceived();
const ended = performance.now();
const faults = all.flatMap(({ heads, logs }, i) => [
  ...(isEvery(heads) ? [] : [`client ${i}: headers ${heads}`]),
  ...(isEvery(logs) ? [] : [`client ${i}: logs of blocks ${logs}`]),
]);
for (const { socket } of all) socket.terminate();
await node.stop();

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
console.log(`${clients} clients connected in ${seconds(sealed - connected)}`);
console.log(
  `${blocks} blocks, ${2 * clients * blocks} events in ${seconds(ended - sealed)}, ${faults.length} faults`,
);
for (const fault of faults.slice(0, 10)) console.log(`FAILED ${fault}`);
process.exit(faults.length === 0 ? 0 : 1);

async function connect(): Promise<Client> {
  const socket = new WebSocket(node.endpoints.ws as string);
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
  const client: Client = { socket, heads: [], logs: [] };
  let subscribed = 0;
  await new Promise<void>((resolve) => {
    socket.on("message", (data) => {
      const { params } = JSON.parse(data.toString()) as {
        params?: { result: { number?: string; blockNumber?: string } };
      };
      if (params === undefined) {
        if (++subscribed === 2) resolve();
      } else if (params.result.number !== undefined) client.heads.push(Number(params.result.number));
      else client.logs.push(Number(params.result.blockNumber));
    });
    socket.send('{"id":1,"method":"eth_subscribe","params":["newHeads"]}');
    socket.send(`{"id":2,"method":"kaia_subscribe","params":["logs",{"address":"${contract}"}]}`);
  });
  return client;
}

async function untilReceived(): Promise<void> {
  const end = performance.now() + TIMEOUT_MS;
  const missing = () => all.some(({ heads, logs }) => heads.length < blocks || logs.length < blocks);
  while (missing() && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 50));
}

function isEvery(numbers: readonly number[]): boolean {
  return numbers.length === blocks && numbers.every((number, i) => number === i + 1);
}
