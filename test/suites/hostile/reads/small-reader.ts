import { once } from "node:events";
import { WebSocket } from "ws";
import { hold } from "../row.ts";
import { onNode } from "../transports/attacked-node.ts";
import { ACCOUNTS, fillChain } from "./heavy-chain.ts";
import { answer, ask } from "./rpc.ts";

/** Greedy connections, as many as there are slots, and the pending requests of each. */
const CONNECTIONS = 16;
const ASKED = 8;
const STORM_MS = 8000;
/** Maximum duration of a small read: a few turns beside twelve long ones, on a machine with tenfold load. */
const MAX_MS = 10_000;
const MIN_ANSWERED = 3;
/** Blocks of a small read: more than one slice of work, and much less than a dump. */
const BLOCKS = "0x100";

/** A client with small reads while large reads occupy all slots. */
export function smallReader(): Promise<string> {
  return onNode(async ({ port, endpoints }) => {
    await fillChain(port);
    await ask(port, "anvil_mine", [BLOCKS]);
    const storm = await Promise.all(Array.from({ length: CONNECTIONS }, () => greedy(endpoints.ws)));
    const end = performance.now() + STORM_MS;
    const times: number[] = [];
    while (performance.now() < end || times.length < MIN_ANSWERED) {
      const { error, ms } = await answer(port, "eth_feeHistory", [BLOCKS, "latest", [50]]);
      hold(error === undefined, `a small reading was refused: ${error?.message}`);
      hold(ms < MAX_MS, `a small reading took ${Math.round(ms)} ms`);
      times.push(ms);
    }
    const large = await Promise.race(storm.map(({ first }) => first));
    hold(large.includes('"result"'), `a large reading: ${large}`);
    for (const { socket } of storm) socket.terminate();
    const longest = Math.round(Math.max(...times));
    return `${times.length} small readings, the longest ${longest} ms, beside ${CONNECTIONS} connections that asked for ${ASKED} dumps of ${ACCOUNTS} accounts at a time, of which the first was answered in the end`;
  });
}

/** A connection that repeats its request on each response. @returns it, and the start of its first response */
async function greedy(url: string): Promise<{ readonly socket: WebSocket; readonly first: Promise<string> }> {
  const socket = new WebSocket(url, { maxPayload: 0 });
  await once(socket, "open");
  const askAgain = (): void => {
    const call = { jsonrpc: "2.0", id: 1, method: "debug_dumpBlock", params: ["latest"] };
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(call));
  };
  socket.on("message", () => setTimeout(askAgain, 20));
  const first = once(socket, "message").then(([data]) => (data as Buffer).toString("latin1", 0, 100));
  for (let i = 0; i < ASKED; i++) askAgain();
  return { socket, first };
}
