import { createServer, type Server, type Socket } from "node:net";
import { afterEach, expect, it } from "vitest";
import { silentLogger } from "../../../platform/telemetry/logger.ts";
import { KafkaSink } from "./kafka-sink.ts";
import { NatsSink } from "./nats-sink.ts";

const producer = { id: "p", version: "1.0" } as const;
const shared = { topics: ["t"], producer, segmentBytes: 1000 };
const message = { topic: "t", key: "1", id: "t/1", value: new Uint8Array(3000) };
const INFO = `INFO {"max_payload":1048576,"headers":true}\r\n`;

let server: Server;
const sockets = new Set<Socket>();

/** A peer that answers what it is sent, by `answer`. */
function peer(answer: (socket: Socket, bytes: Buffer, turn: number) => void, greeting = ""): Promise<number> {
  server = createServer((socket) => {
    let turn = 0;
    sockets.add(socket);
    socket.on("error", () => {});
    socket.write(greeting);
    socket.on("data", (bytes) => answer(socket, bytes, turn++));
  });
  return new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port)),
  );
}

afterEach(() => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  server.close();
});

const kafka = (port: number) => new KafkaSink({ ...shared, brokers: [`127.0.0.1:${port}`] }, silentLogger);
const nats = (port: number) =>
  new NatsSink(
    {
      ...shared,
      servers: [{ host: "127.0.0.1", port, tls: false }],
      ...{ stream: "s", replicas: 1, inbox: () => "x" },
    },
    silentLogger,
  );

it("refuses an answer of a Kafka broker that is longer than any can be", async () => {
  const port = await peer((socket) => socket.write(Buffer.from([0x7f, 0xff, 0xff, 0xff, 0])));
  await expect(kafka(port).open()).rejects.toThrowError("an answer of 2147483647 bytes is refused");
});

it.each([
  ["no answer to the question", Buffer.alloc(64)],
  ["lists of billions", Buffer.from("7fffffff7fffffff7fffffff7fffffff7fffffff", "hex")],
  ["noise", Buffer.from("0000ffff7f01", "hex")],
  ["nothing", Buffer.alloc(0)],
])("outlives a Kafka broker whose answer is %s", async (_, body) => {
  const port = await peer((socket, bytes) => {
    const answer = Buffer.concat([Buffer.alloc(4), bytes.subarray(8, 12), body]); // with the question's own number
    answer.writeUInt32BE(4 + body.length);
    socket.write(answer);
    setTimeout(() => socket.destroy(), 50);
  });
  await expect(kafka(port).open()).rejects.toThrowError();
});

it.each([
  ["no NATS", "HTTP/1.1 400 Bad Request\r\n\r\n", /this is no NATS server: it said "HTTP\/1.1 400/],
  ["a line without an end", "x".repeat(70_000), /a line of more than 65536 bytes is refused/],
  ["no JSON", "INFO {\r\n", /greeting is no JSON/],
  ["too old", 'INFO {"max_payload":1048576}\r\n', /takes no headers/],
  ["too small", 'INFO {"max_payload":10,"headers":true}\r\n', /takes messages of 10 bytes/],
])("names what is wrong with a server that is %s", async (_, greeting, text) => {
  await expect(nats(await peer(() => {}, greeting)).open()).rejects.toThrowError(text);
});

it("gives no memory to an answer of a NATS server that is too long", async () => {
  const port = await peer((socket) => socket.write("PONG\r\nMSG _INBOX.x.1 1 99999999999\r\n"), INFO);
  await expect(nats(port).open()).rejects.toThrowError("an answer of 99999999999 bytes is refused");
});

it("tells a refusal, and what does not acknowledge, apart from an acknowledgement", async () => {
  let answer = "";
  const port = await peer((socket, bytes, turn) => {
    const reply = /(_INBOX\.x\.\d+) /.exec(bytes.toString())?.[1];
    if (turn === 0) return void socket.write("PONG\r\n");
    const body = turn === 1 ? '{"config":{"subjects":["t"]}}' : answer;
    if (reply) socket.write(`MSG ${reply} 1 ${body.length}\r\n${body}\r\n`);
  }, INFO);
  const sink = nats(port);
  for (const [text, complaint] of [
    ['{"error":{"code":503,"description":"no space"}}', /the stream s refuses: no space/],
    ['{"stream":"other","seq":1}', /did not acknowledge/],
    ["[", /no JSON object/],
  ] as const) {
    answer = text;
    await sink.open();
    await expect(sink.send(message)).rejects.toThrowError(complaint);
  }
  answer = '{"stream":"s","seq":1}';
  await sink.open();
  await sink.send(message);
  await sink.close();
});

it("shows no password and no token", () => {
  const server = { host: "h", port: 1, tls: true, user: "u", password: "secret", token: "secret" };
  const sink = new NatsSink(
    { ...shared, servers: [server], stream: "s", replicas: 1, inbox: () => "x" },
    silentLogger,
  );
  expect(sink.place).toBe("nats h:1");
});
