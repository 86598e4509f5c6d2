import { once } from "node:events";
import { connect } from "node:tls";
import { WebSocket } from "ws";
import { type HostileRow, hold } from "../row.ts";
import { BLOCK_NUMBER, keptAfter, post } from "./attacked-node.ts";
import { onTlsNode, type TlsNode } from "./tls-node.ts";

/** Connections over WSS, the messages of each, and requests over HTTPS, each on a new connection. */
const [SOCKETS, MESSAGES, REQUESTS] = [40, 500, 150];

/** Sends messages over many connections at once. @returns how many were answered */
async function overWebSockets({ endpoints }: TlsNode): Promise<number> {
  let answered = 0;
  const talks = Array.from({ length: SOCKETS }, async () => {
    const socket = new WebSocket(endpoints.ws, { rejectUnauthorized: false });
    await once(socket, "open");
    for (let i = 0; i < MESSAGES; i++) socket.send(BLOCK_NUMBER);
    let left = MESSAGES;
    socket.on("message", () => {
      answered++;
      if (--left === 0) socket.terminate();
    });
    await once(socket, "close");
  });
  await Promise.all(talks);
  return answered;
}

async function overHttps({ endpoints }: TlsNode): Promise<number> {
  const port = Number(new URL(endpoints.http).port);
  const answers = Array.from({ length: REQUESTS }, async () => {
    const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false });
    socket.on("error", () => {});
    socket.write(post(BLOCK_NUMBER, "Connection: close\r\n"));
    const [data] = (await Promise.race([once(socket, "data"), once(socket, "close")])) as [Buffer | boolean];
    socket.destroy();
    return Buffer.isBuffer(data) ? 1 : 0;
  });
  return (await Promise.all(answers)).reduce<number>((sum, one) => sum + one, 0);
}

/** Small messages leave no buffers behind, but may leave V8's space for new objects and OpenSSL's memory. */
export const messageStorm: HostileRow = {
  id: "L32",
  promise:
    "storms of messages over WSS and of HTTPS connections leave no memory behind, even in a node just started",
  run: () =>
    onTlsNode("first", async (node) => {
      let answered = 0;
      const kept = await keptAfter(node, async () => {
        answered = (await overWebSockets(node)) + (await overHttps(node));
      });
      hold(answered > (SOCKETS * MESSAGES) / 2, `${answered} answered`);
      return `${answered} of ${SOCKETS * MESSAGES + REQUESTS} answered; ${kept}`;
    }),
};
