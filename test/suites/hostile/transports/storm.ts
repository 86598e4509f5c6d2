import { randomBytes } from "node:crypto";
import { type HostileRow, hold } from "../row.ts";
import { memoryKept, onNode, openSocket, pause, post, slowestWhile } from "./attacked-node.ts";

/** Texts that a caller may send by mistake or on purpose. */
const TEXTS: readonly (() => string)[] = [
  () => "[".repeat(10_000),
  () => `{"id":${"9".repeat(400)},"method":"eth_blockNumber"}`,
  () => '{"id":1,"id":2,"method":"eth_blockNumber","method":"eth_chainId"}',
  () => '{"__proto__":{"method":"eth_blockNumber"},"id":1}',
  () => '{"id":"\\ud800","method":"eth_blockNumber"}',
  () => '\ufeff{"id":1,"method":"eth_blockNumber"}',
  () => `{"id":1,"method":"${"x".repeat(20_000)}"}`,
  () => '{"id":1,"method":"eth_getLogs","params":[{"fromBlock":"0x0","toBlock":"latest"}]}',
  () =>
    `{"id":1,"method":"debug_traceTransaction","params":["0x${"0".repeat(64)}",{"timeout":"${"1".repeat(60)}!"}]}`,
  () => '{"id":1,"method":"eth_call","params":[{"gas":"0x30d40","input":"0x5b600056"},"latest"]}',
  () => `[${'{"id":1,"method":"eth_chainId"},'.repeat(500)}1]`,
  () => randomBytes(300).toString("latin1"),
];

const WIRES: readonly ((text: string) => string | Buffer)[] = [
  (text) => post(text),
  (text) => post(text).repeat(5),
  (text) => post(text).slice(0, -1),
  (text) => post(text, "Transfer-Encoding: chunked\r\n"),
  (text) => post(text).replace("HTTP/1.1", "HTTP/1.0"),
  (text) => `\r\n\r\n${post(text, "Expect: 100-continue\r\n")}`,
  () =>
    "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: x\r\n\r\n",
  () => randomBytes(2000),
];

/** 500 hostile requests a second, each on a new connection that is read or not, closed or left open. */
async function storm(port: number, seconds: number): Promise<number> {
  let sent = 0;
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end) {
    for (let i = 0; i < 10; i++) {
      const text = (TEXTS[sent % TEXTS.length] as () => string)();
      const wire = (WIRES[sent % WIRES.length] as (text: string) => string | Buffer)(text);
      const socket = openSocket(port);
      if (sent % 3 > 0) socket.resume();
      socket.on("connect", () => socket.write(wire));
      setTimeout(() => socket.destroy(), sent % 5 === 0 ? 10 : 800);
      sent++;
    }
    await pause(20);
  }
  return sent;
}

function stormRow(id: string, seconds: number, isLong: boolean): HostileRow {
  return {
    id,
    promise: `${seconds} s of random and hostile requests cause no error and no leak`,
    isLong,
    run: () =>
      onNode(async (node) => {
        await storm(node.port, Math.min(seconds, 15)); // warms up the node
        let reached = "";
        const kept = await memoryKept(node, async () => {
          const running = storm(node.port, seconds);
          const slowest = await slowestWhile(node.port, running);
          reached = `${await running} requests, others answered within ${slowest} ms`;
        });
        hold(
          !/unhandled|uncaught|internal error/i.test(node.printed.stderr),
          node.printed.stderr.slice(-2000),
        );
        return `${reached}; ${kept}`;
      }),
  };
}

export const storms: readonly HostileRow[] = [stormRow("L11", 8, false), stormRow("L11l", 60, true)];
