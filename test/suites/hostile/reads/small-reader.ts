import { once } from "node:events";
import { WebSocket } from "ws";
import { until } from "../../../e2e/json-rpc.ts";
import { hold } from "../row.ts";
import { onNode } from "../transports/attacked-node.ts";
import { ACCOUNTS, fillChain } from "./heavy-chain.ts";
import { answer, ask } from "./rpc.ts";

/** Greedy connections, as many as there are slots, and the pending requests of each. */
const CONNECTIONS = 16;
const ASKED = 8;
/** Small reads, one after the other. */
const READS = 8;
/**
 * Large responses that may arrive during a small read: of each connection one that was begun or on its way before, and one whose turn
 * comes first. In one queue, the small read would wait for all requests.
 */
const MAX_OVERTAKING = 2 * CONNECTIONS;
/** Blocks of a small read: more than one slice of work, and much less than a dump. */
const BLOCKS = "0x100";

/** A client with small reads while large reads occupy all slots. */
export function smallReader(): Promise<string> {
  return onNode(async ({ port, endpoints }) => {
    await fillChain(port);
    await ask(port, "anvil_mine", [BLOCKS]);
    let large = 0;
    const storm = await Promise.all(
      Array.from({ length: CONNECTIONS }, () => greedy(endpoints.ws, () => large++)),
    );
    const overtaking: number[] = [];
    for (let i = 0; i < READS; i++) {
      const before = large;
      const { error } = await answer(port, "eth_feeHistory", [BLOCKS, "latest", [50]]);
      hold(error === undefined, `a small read was refused: ${error?.message}`);
      overtaking.push(large - before);
    }
    const most = Math.max(...overtaking);
    hold(most <= MAX_OVERTAKING, `${most} large reads were served before a small one`);
    await until(
      async () => large,
      (count) => count > 0,
    );
    for (const socket of storm) socket.terminate();
    return (
      `${READS} small readings, each answered before ${most + 1} of the large ones of ${CONNECTIONS} connections that ` +
      `asked for ${ASKED} dumps of ${ACCOUNTS} accounts at a time, of which ${large} were answered in the end`
    );
  });
}

/** A connection that repeats its request on each response. @param onResult - called for each response that is no error */
async function greedy(url: string, onResult: () => unknown): Promise<WebSocket> {
  const socket = new WebSocket(url, { maxPayload: 0 });
  await once(socket, "open");
  const askAgain = (): void => {
    const call = { jsonrpc: "2.0", id: 1, method: "debug_dumpBlock", params: ["latest"] };
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(call));
  };
  socket.on("message", (data: Buffer) => {
    if (data.toString("latin1", 0, 100).includes('"result"')) onResult();
    setTimeout(askAgain, 20);
  });
  for (let i = 0; i < ASKED; i++) askAgain();
  return socket;
}
