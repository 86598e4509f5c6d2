import { once } from "node:events";
import type { Socket } from "node:net";
import { heldTimes } from "../calls/held.ts";
import { ask } from "../reads/rpc.ts";
import { type HostileRow, hold } from "../row.ts";
import { type AttackedNode, onNode, openSocket } from "./attacked-node.ts";

/** Connections whose bodies become complete at the same time. */
const CONNECTIONS = 200;
/** Milliseconds for the bodies to arrive, all but their last byte. */
const ARRIVAL_MS = 10_000;
/** Maximum CPU time in milliseconds for which the main thread may be held. */
const MAX_HELD = 300;
/** Bytes of code that creates a contract: the longest transaction that costs less than the limit of gas. */
const LONG_INPUT = 100_000;

const fieldsOf = (body: string) =>
  `POST /api/signAsFeePayer HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;

/** Sends one body over many connections, its last byte when all others have been read. @returns the connections */
async function prepare(port: number, body: string): Promise<readonly Socket[]> {
  const sockets = Array.from({ length: CONNECTIONS }, () => openSocket(port));
  const text = fieldsOf(body) + body;
  const sent = sockets.map(
    (socket) => new Promise<void>((resolve) => socket.write(text.slice(0, -1), () => resolve())),
  );
  const late = new Promise<void>((resolve) => setTimeout(resolve, ARRIVAL_MS).unref());
  await Promise.race([Promise.all(sent), late]);
  return sockets;
}

/** @returns the statuses of the responses */
async function complete(sockets: readonly Socket[]): Promise<Set<string>> {
  const answers = sockets.map(async (socket) => {
    socket.write("}");
    const [chunk] = (await once(socket, "data")) as [Buffer];
    socket.destroy();
    return chunk.toString("latin1", 9, 12);
  });
  return new Set(await Promise.all(answers));
}

async function longTransaction(node: AttackedNode): Promise<string> {
  const [feePayer, from, to] = (await ask(node.port, "eth_accounts")) as string[];
  const money = { value: "0x0", gas: "0x1c9c380", gasPrice: "0xba43b7400", nonce: "0x9" }; // behind a nonce gap
  const tx = { typeInt: 0x31, from, to, feePayer, input: `0x${"00".repeat(LONG_INPUT)}`, ...money };
  return ((await ask(node.port, "kaia_signTransaction", [tx])) as { readonly raw: string }).raw;
}

/** Requests to the fee payer service that are long in decoding, and are complete in the same turn of the event loop. */
export const feePayers: HostileRow = {
  id: "L31",
  promise:
    "requests to the fee payer that arrive together are handled in turns, with other work between them",
  run: () =>
    onNode(
      async (node) => {
        const { feePayer } = node.endpoints as unknown as { readonly feePayer: string };
        const port = Number(new URL(feePayer).port);
        const signed = (raw: string) => `{"userSignedTx":{"raw":"${raw}"}}`;
        const bodies = {
          "no transaction": signed(`0x31${"ab".repeat(255_000)}`),
          "nested lists": `{"a":${"[".repeat(250_000)}${"]".repeat(250_000)}}`,
          "many numbers": `{"a":[${"1,".repeat(250_000)}1]}`,
          "long transactions": signed(await longTransaction(node)),
        };
        const figures: string[] = [];
        for (const [name, body] of Object.entries(bodies)) {
          const answered = complete(await prepare(port, body));
          const held = Math.max(...(await heldTimes(node, answered)));
          const statuses = [...(await answered)].join();
          hold(statuses === "400", `${name}: answered with ${statuses}`);
          hold(held < MAX_HELD, `${name} held the main thread for ${held} ms of its time`);
          figures.push(`${name} ${held} ms`);
        }
        return `${CONNECTIONS} connections at once: ${figures.join(", ")}`;
      },
      ...["--fee-payer-port", "0"],
    ),
};
