import { once } from "node:events";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { connect, type TLSSocket } from "node:tls";
import { heldAsking } from "../calls/held.ts";
import { type HostileRow, hold } from "../row.ts";
import { openSocket } from "./attacked-node.ts";
import { asker } from "./handshakes.ts";
import { onTlsNode, type TlsNode } from "./tls-node.ts";

const CLIENTS = 10;
/** Of each client, with one byte each. */
const RECORDS = 5_000;
/** Maximum CPU time in milliseconds for which the main thread may be held. */
const MAX_HELD = 60;
const ANSWERS_MS = 30_000;

/** A client that keeps back what it would send. */
interface Client {
  readonly socket: Socket;
  readonly secure: TLSSocket;
  readonly kept: Buffer[];
}

async function open(port: number): Promise<Client> {
  const socket = openSocket(port);
  await once(socket, "connect");
  const kept: Buffer[] = [];
  let isKeeping = false;
  const wire = new Duplex({
    read() {},
    write(chunk, _encoding, done) {
      if (isKeeping) kept.push(chunk);
      else socket.write(chunk);
      done();
    },
  });
  socket.on("data", (chunk) => wire.push(chunk)).on("close", () => wire.push(null));
  const secure = connect({ socket: wire, rejectUnauthorized: false });
  secure.on("error", () => {});
  await once(secure, "secureConnect");
  isKeeping = true;
  return { socket, secure, kept };
}

/** Encrypts a request whose body has a record for each byte. */
async function prepare({ secure }: Client): Promise<void> {
  const head = `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${RECORDS}\r\n\r\n`;
  const write = (text: string) => new Promise((resolve) => secure.write(text, resolve));
  await write(head);
  for (let i = 0; i < RECORDS; i++) await write(" ");
}

async function attack(node: TlsNode): Promise<string> {
  const { http } = node.endpoints;
  const clients = await Promise.all(Array.from({ length: CLIENTS }, () => open(Number(new URL(http).port))));
  await Promise.all(clients.map(prepare));
  const { ask, close } = asker(http);
  await ask();
  let answered = 0;
  const answers = clients.map(async ({ socket, secure, kept }) => {
    socket.write(Buffer.concat(kept));
    if (String(await once(secure, "data")).startsWith("HTTP/1.1 200")) answered++;
  });
  const held = Math.max(
    ...(await heldAsking(node, Promise.race([Promise.all(answers), sleep(ANSWERS_MS)]), ask)),
  );
  for (const { socket } of clients) socket.destroy();
  close();
  const figures = `${CLIENTS * RECORDS} records, ${answered} of ${CLIENTS} answered, the main thread held for ${held} ms at most`;
  hold(held < MAX_HELD && answered === CLIENTS, figures);
  return figures;
}

/** Each record costs OpenSSL's work, and a read may have thousands: of a byte, or asking for new keys, which Node.js never shows. */
export const tlsRecords: HostileRow = {
  id: "S9r",
  promise: "many small TLS records are read a few at a time, with other work between them",
  run: () => onTlsNode("first", attack),
};
