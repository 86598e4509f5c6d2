import { ask, timesWhile } from "../reads/rpc.ts";
import { hold } from "../row.ts";
import { memoryOf, onNode, pause } from "../transports/attacked-node.ts";

/** Contracts, and calls of each, until their gas is used up: enough to make a contract hot. */
const CONTRACTS = 60;
const CALLS = 3;
const GAS = 2_000_000;
/** Bytes of a contract, the maximum. */
const SIZE = 24_576;
const SLICES = 4;
const GRACE_MS = 50;
/** MiB: the WebAssembly that a node keeps, and what V8 makes of it. */
const MAX_MORE = 400;

/** Repeated byte patterns: much WebAssembly per byte, in the maximum number of functions; some exceed the limits. */
const PATTERNS = [
  `5b${"60005150".repeat(20)}`,
  `5b${"60003560020250".repeat(12)}`,
  "5b",
  "5b6000600057",
  "60005150",
];

function bomb(number: number): string {
  const pattern = PATTERNS[number % PATTERNS.length] as string;
  const head = `5b61${number.toString(16).padStart(4, "0")}50`;
  const again = "600056"; // jumps to the head
  const times = Math.floor((SIZE * 2 - head.length - again.length) / pattern.length);
  return `0x${head}${pattern.repeat(times)}${again}`;
}

/** Many large contracts, each costly to compile, called until they are compiled. */
export function compileBombs(): Promise<string> {
  return onNode(async (node) => {
    const { port } = node;
    const address = (i: number) => `0x20${i.toString(16).padStart(38, "0")}`;
    for (let i = 0; i < CONTRACTS; i++) await ask(port, "anvil_setCode", [address(i), bomb(i)]);
    const idle = await timesWhile(node, pause(1000));
    const before = memoryOf(node);
    const beside = await timesWhile(node, callAll(port, address));
    await pause(2000);
    const more = memoryOf(node) - before;
    const max = idle.asked.median + SLICES * beside.spun.p99 + GRACE_MS;
    const figure =
      `eth_blockNumber ${beside.asked.median} and ${beside.asked.p99} ms (median and p99), idle ${idle.asked.median}; ` +
      `${more} MiB more; 5 ms of processor time took ${beside.spun.median} and ${beside.spun.p99}`;
    hold(beside.asked.p99 <= max, `${max.toFixed(1)} ms at most: ${figure}`);
    hold(more <= MAX_MORE, `${MAX_MORE} MiB at most: ${figure}`);
    return figure;
  });
}

async function callAll(port: number, address: (i: number) => string): Promise<void> {
  for (let i = 0; i < CONTRACTS; i++) {
    const params = [{ to: address(i), gas: `0x${GAS.toString(16)}` }, "latest"];
    const calls = Array.from({ length: CALLS }, (_, id) => ({
      jsonrpc: "2.0",
      id,
      method: "eth_call",
      params,
    }));
    const response = await fetch(`http://127.0.0.1:${port}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(calls),
    });
    const answers = (await response.json()) as { result?: string; error?: { message: string } }[];
    hold(
      answers.every(({ error }) => error?.message === "out of gas"),
      `contract ${i}: ${answers[0]?.result ?? answers[0]?.error?.message}`,
    );
  }
}
