import { createServer, type Server, type Socket } from "node:net";
import { afterEach, expect, it } from "vitest";
import { silentLogger } from "../../../platform/telemetry/logger.ts";
import { BrokerSockets } from "./broker-sockets.ts";
import { KafkaSink } from "./kafka-sink.ts";
import { NatsConnection } from "./nats-connection.ts";
import { NatsSink } from "./nats-sink.ts";

const producer = { id: "p", version: "1.0" } as const;
const shared = { topics: ["t"], producer, segmentBytes: 1000 };
const message = { topic: "t", key: "1", id: "t/1", value: new Uint8Array(3000) };
const INFO = `INFO {"max_payload":1048576,"headers":true}\r\n`;

let server: Server;
const sockets = new Set<Socket>();

/** A peer that replies with `answer`. */
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

it("rejects a response of a Kafka broker that is too long", async () => {
  const port = await peer((socket) => socket.write(Buffer.from([0x7f, 0xff, 0xff, 0xff, 0])));
  await expect(kafka(port).open()).rejects.toThrowError("a response of 2147483647 bytes is rejected");
});

it.each([0, 1, 3])("rejects a response of a Kafka broker of %i bytes, which has no number", async (bytes) => {
  const port = await peer((socket) =>
    socket.write(Buffer.from([0, 0, 0, bytes, 1, 2, 3].slice(0, 4 + bytes))),
  );
  await expect(kafka(port).open()).rejects.toThrowError(`a response of ${bytes} bytes is rejected`);
});

it("allocates nothing for a list longer than the response of a Kafka broker", async () => {
  const port = await peer((socket, bytes) => {
    const number = bytes.toString("hex", 8, 12);
    socket.write(Buffer.from(`0000000a${number}000001ffffff`, "hex"));
  });
  await expect(kafka(port).open()).rejects.toThrowError("a list of 33554431 is rejected");
});

it("does not read a list of more brokers than a cluster has, which the client would join for a second", async () => {
  const broker = Buffer.from("00000001000178000023840000000100", "hex").subarray(0, 13);
  const port = await peer((socket, bytes) => {
    const [kind, number] = [bytes.readUInt16BE(4), bytes.subarray(8, 12)];
    const body =
      kind === 3
        ? [Buffer.from("00001001", "hex"), ...Array.from({ length: 4_097 }, () => broker)]
        : [Buffer.from("00000000000100030000", "hex"), Buffer.from("0001", "hex")];
    const answer = Buffer.concat([Buffer.alloc(4), number, ...body]);
    answer.writeUInt32BE(answer.length - 4);
    socket.write(answer);
  });
  await expect(kafka(port).open()).rejects.toThrowError("a list of 4097 is rejected");
});

it("rejects a response of a Kafka broker of more than a megabyte", async () => {
  const port = await peer((socket) => socket.write(Buffer.from([0, 0x10, 0, 1, 0])));
  await expect(kafka(port).open()).rejects.toThrowError("a response of 1048577 bytes is rejected");
});

it("stops waiting for a Kafka broker when closed", async () => {
  let heard = () => {};
  const asked = new Promise<void>((resolve) => {
    heard = resolve;
  });
  const sink = kafka(await peer(() => heard()));
  const opened = sink.open();
  await Promise.all([
    expect(opened).rejects.toThrowError("the connection is closed"),
    asked.then(() => sink.close()),
  ]);
});

it.each([
  ["169.254.169.254", "127.0.0.1:9092"],
  ["0.0.0.0", "127.0.0.1:9092"],
  ["::ffff:169.254.169.254", "127.0.0.1:9092"],
  ["fe80::1", "127.0.0.1:9092"],
  ["127.0.0.1", "10.0.0.5:9092"],
  ["::1", "10.0.0.5:9092"],
])("does not connect to %s when a Kafka broker names it", (host, named) => {
  const target = { host, port: 80, onConnect() {} };
  expect(() => new BrokerSockets([named]).connect(target)).toThrowError("no connection is made");
});

it("does not connect to this machine's name when a Kafka broker names it", async () => {
  const socket = new BrokerSockets(["10.0.0.5:9092"]).connect({ host: "localhost", port: 9, onConnect() {} });
  const error = await new Promise((resolve) => socket.on("error", resolve));
  expect(String(error)).toContain("a broker names localhost as another one");
});

it("connects to a configured broker, wherever it is", async () => {
  const port = await peer(() => {});
  const sockets = new BrokerSockets([`127.0.0.1:${port}`]);
  await new Promise<void>((onConnect) => sockets.connect({ host: "127.0.0.1", port, onConnect }));
  sockets.close();
  expect(() => sockets.connect({ host: "127.0.0.1", port, onConnect() {} })).toThrowError("is closed");
});

it.each([
  ["no answer to the question", Buffer.alloc(64)],
  ["lists of billions", Buffer.from("7fffffff7fffffff7fffffff7fffffff7fffffff", "hex")],
  ["noise", Buffer.from("0000ffff7f01", "hex")],
  ["nothing", Buffer.alloc(0)],
])("survives a Kafka broker whose response is %s", async (_, body) => {
  const port = await peer((socket, bytes) => {
    const answer = Buffer.concat([Buffer.alloc(4), bytes.subarray(8, 12), body]); // with the request's number
    answer.writeUInt32BE(4 + body.length);
    socket.write(answer);
    setTimeout(() => socket.destroy(), 50);
  });
  await expect(kafka(port).open()).rejects.toThrowError();
});

it.each([
  ["no NATS", "HTTP/1.1 400 Bad Request\r\n\r\n", /this is not a NATS server: it said "HTTP\/1.1 400/],
  ["a line without an end", "x".repeat(70_000), /a line of more than 65536 bytes is refused/],
  ["no JSON", "INFO {\r\n", /greeting is not JSON/],
  ["too old", 'INFO {"max_payload":1048576}\r\n', /takes no headers/],
  ["too small", 'INFO {"max_payload":10,"headers":true}\r\n', /takes messages of 10 bytes/],
])("reports what is wrong with a server that is %s", async (_, greeting, text) => {
  await expect(nats(await peer(() => {}, greeting)).open()).rejects.toThrowError(text);
});

const TLS = `INFO {"max_payload":1048576,"headers":true,"tls_required":true}\r\n`;

it.each([
  ["answers the encryption with noise", (socket: Socket) => void socket.write("PONG\r\nPONG\r\n")],
  ["closes instead of encrypting", (socket: Socket) => void socket.end()],
])("survives a NATS server that %s", async (_, answer) => {
  await expect(nats(await peer(answer, TLS)).open()).rejects.toThrowError();
});

it("times out on a NATS server that never encrypts", async () => {
  const connection = new NatsConnection(
    { host: "127.0.0.1", port: await peer(() => {}, TLS), tls: true },
    "x",
    1_000,
  );
  await expect(connection.open()).rejects.toThrowError("did not encrypt the connection within 1000 ms");
});

it("stops waiting for a NATS server when closed before the connection is encrypted", async () => {
  let heard = () => {};
  const asked = new Promise<void>((resolve) => {
    heard = resolve;
  });
  const sink = nats(await peer(() => heard(), TLS));
  const opened = sink.open();
  await Promise.all([
    expect(opened).rejects.toThrowError("the connection is closed"),
    asked.then(() => sink.close()),
  ]);
});

it("disconnects from a NATS server that pings endlessly and does not read", async () => {
  const port = await peer((socket) => {
    socket.pause();
    const ask = () => !socket.destroyed && socket.write("PING\r\n".repeat(20_000), ask);
    ask();
  }, INFO);
  await expect(nats(port).open()).rejects.toThrowError("sent too much at once");
});

it("allocates nothing for an oversized response of a NATS server", async () => {
  const port = await peer((socket) => socket.write("PONG\r\nMSG _INBOX.x.1 1 99999999999\r\n"), INFO);
  await expect(nats(port).open()).rejects.toThrowError("a response of 99999999999 bytes is rejected");
});

it("distinguishes errors and other responses from an acknowledgement", async () => {
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
    ['{"error":{"description":{"toString":1}}}', /the stream s refuses: "no reason given"/],
    ['{"error":null}', /not a JSON object/],
    ['{"stream":"other","seq":1}', /did not acknowledge/],
    ['{"stream":"s","seq":-1e400}', /did not acknowledge/],
    ['{"stream":"s","seq":0}', /did not acknowledge/],
    ["[", /not a JSON object/],
    ["5", /not a JSON object/],
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

it.each(['"t"', "[5,{}]", '{"length":1}', "null"])(
  "reads no subjects of a stream from %s, as a server may say",
  async (subjects) => {
    const port = await peer((socket, bytes, turn) => {
      const reply = /(_INBOX\.x\.\d+) /.exec(bytes.toString())?.[1];
      if (turn === 0) return void socket.write("PONG\r\n");
      const body = `{"config":{"subjects":${subjects}}}`;
      socket.write(`MSG ${reply} 1 ${body.length}\r\n${body}\r\n`);
    }, INFO);
    await expect(nats(port).open()).rejects.toThrowError("the stream s exists and does not keep t");
  },
);

it.each([{ user: "u", password: "secret" }, { token: "secret" }])(
  "sends no credentials in clear text to a NATS server unless that is allowed: %j",
  async (credentials) => {
    const heard: Buffer[] = [];
    const port = await peer((socket, bytes) => {
      heard.push(bytes);
      socket.write("PONG\r\n");
    }, INFO);
    const connect = (more: object) =>
      new NatsConnection({ host: "127.0.0.1", port, tls: false, ...more }, "x", 1_000);
    await expect(connect(credentials).open()).rejects.toThrow("--allow-cleartext-passwords");
    expect(heard).toEqual([]);
    await connect({}).open();
    expect(Buffer.concat(heard.splice(0)).toString()).not.toContain("secret");
    await connect({ ...credentials, allowCleartextPasswords: true }).open();
    expect(Buffer.concat(heard).toString()).toContain("secret");
  },
);

it("shows no password and no token", () => {
  const server = { host: "h", port: 1, tls: true, user: "u", password: "secret", token: "secret" };
  const sink = new NatsSink(
    { ...shared, servers: [server], stream: "s", replicas: 1, inbox: () => "x" },
    silentLogger,
  );
  expect(sink.place).toBe("nats h:1");
  expect(sink.secrets).toEqual(["secret", "secret"]);
});
