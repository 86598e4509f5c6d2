import { setTimeout as sleep } from "node:timers/promises";
import { type HostileRow, hold } from "../row.ts";
import { type AttackedNode, onNode, openSocket, post } from "../transports/attacked-node.ts";
import { heldTimes } from "./held.ts";

const CLIENTS = 16;
const ATTACK_MS = 5000;
/**
 * Maximum CPU time in milliseconds for which the main thread may be blocked, at the median: on a busy machine the client is delayed
 * while the node continues with the long texts, and the maximum is meaningless.
 */
const MAX_HELD = 200;
/** Values of one request, and of one with a number that no double represents. */
const MAX_VALUES = { plain: 50_000, exact: 20_000 };

const call = (params: string) => `{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[${params}]}`;
const times = (count: number, text: string) => `${`${text},`.repeat(count - 1)}${text}`;

/** Texts of up to 5 MiB that cost the most to parse: with a number that no double represents, the slow parser is used. */
const TEXTS: Readonly<Record<string, string>> = {
  "a million objects": call(times(1_700_000, "{}")),
  "names without end": call(
    `-1,{${times(250_000, '"k":1')
      .split(",")
      .map((text, i) => text.replace("k", `k${i}`))
      .join(",")}}`,
  ),
  "as many as may be": call(times(MAX_VALUES.plain - 10, '{"id":1}')),
  "as many one by one": call(`-1,${times(MAX_VALUES.exact - 10, '{"id":-1}')}`),
  "one string": call(`"0x${"ab".repeat(2_500_000)}"`),
};

/** Clients that repeat a request as soon as they get a response. @returns responses, and the CPU time without a short response */
async function flood(node: AttackedNode, text: string): Promise<{ answers: number; held: number }> {
  let answers = 0;
  const request = post(text);
  const sockets = Array.from({ length: CLIENTS }, () => {
    const socket = openSocket(node.port);
    socket.on("data", (chunk) => {
      if (!chunk.includes("HTTP/1.1 200")) return;
      answers++;
      socket.write(request);
    });
    socket.write(request);
    return socket;
  });
  const times = (await heldTimes(node, sleep(ATTACK_MS))).sort((a, b) => a - b);
  for (const socket of sockets) socket.destroy();
  return { answers, held: times[times.length >> 1] as number };
}

/** Long requests from many clients at once. */
export const largeTextsRow: HostileRow = {
  id: "L25",
  promise: "long requests from many clients are parsed one per turn, each within its limit",
  run: () =>
    onNode(
      async (node) => {
        const found: string[] = [];
        for (const [name, text] of Object.entries(TEXTS)) {
          const { answers, held } = await flood(node, text);
          hold(answers > 0, `${name}: no response`);
          hold(held < MAX_HELD, `${name} held the main thread for ${held} ms of its time`);
          found.push(`${name} ${held} ms`);
        }
        return `without a small answer at the median, beside ${CLIENTS} clients: ${found.join(", ")}`;
      },
      ...["--block-time", "1000s"],
    ),
};
