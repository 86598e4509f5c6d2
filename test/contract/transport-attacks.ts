// Clients whose dialogues reach every entrance of the transports.
import { once } from "node:events";
import { renameSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { WebSocket } from "ws";
import { Certificate } from "../../src/platform/http/certificate.ts";
import {
  type Conditions,
  freePath,
  LARGE_BYTES,
  LOCAL,
  rpcOf,
  type Served,
  serve,
  turns,
} from "./attacked-node.ts";

const FIXTURES = new URL("../fixtures/tls/", import.meta.url);

/** A client of whatever transport. */
export interface Caller {
  readonly closed: Promise<unknown>;
  destroy(): void;
}

/** @returns the client whose connection a fault must end; none if the attack itself reports the fault */
export type Attack = (
  served: Served,
  conditions: Conditions,
  /** To be called once the attacker is connected: others do so now. */
  others: () => Promise<void>,
) => Promise<Caller | undefined>;

const VERSION = '{"jsonrpc":"2.0","id":1,"method":"web3_clientVersion"}';
const SLOW = '{"jsonrpc":"2.0","id":1,"method":"web3_sha3","params":["0x"]}';
const LARGE = '{"jsonrpc":"2.0","id":1,"method":"web3_sha3","params":["0x00"]}';
/** Resolves when a connection has ended, for whatever reason. */
function ended(socket: Socket | WebSocket): Promise<unknown> {
  return new Promise((resolve) => socket.once("close", resolve));
}

function overTcp(socket: Socket) {
  let [read, length] = ["", 0];
  socket.on("error", () => {});
  socket.on("data", (chunk) => {
    length += chunk.length;
    if (length < LARGE_BYTES) read += chunk.toString("latin1");
  });
  const closed = ended(socket);
  return {
    ...{ socket, closed, destroy: () => void socket.destroy() },
    /** Resolves after the text has come so often, or the connection has ended. */
    async has(text: string, count = 1): Promise<void> {
      while (!socket.destroyed && read.split(text).length <= count) await turns(1);
    },
    async hasBytes(bytes: number): Promise<void> {
      while (!socket.destroyed && length < bytes) await turns(1);
    },
  };
}

/** What a client does once it is connected. */
type TcpAttack = (
  client: ReturnType<typeof overTcp>,
  conditions: Conditions,
  served: Served,
) => Promise<void>;

function request(text: string): string {
  return `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
}

/** An attack over HTTP. */
function http(attack: TcpAttack): Attack {
  return async (served, conditions, others) => {
    const client = overTcp(connect(served.http.port, "127.0.0.1"));
    await once(client.socket, "connect");
    await others();
    await attack(client, conditions, served);
    return client;
  };
}

/** An attack over HTTP with TLS. */
function tls(attack: (client: ReturnType<typeof overTcp>, conditions: Conditions) => Promise<void>): Attack {
  return async (_served, conditions, others) => {
    const files = {
      cert: new URL("first.cert.pem", FIXTURES).pathname,
      key: new URL("first.key.pem", FIXTURES).pathname,
    };
    const certificate = new Certificate(files, { renewed: () => {}, refused: () => {} });
    const rpc = rpcOf(conditions, new AbortController(), { certificate });
    const { port } = await rpc.listenHttp({ ...LOCAL, unsafe: true, cors: [] });
    await others();
    const client = overTcp(connectTls({ host: "127.0.0.1", port, rejectUnauthorized: false }));
    await attack(client, conditions);
    return client;
  };
}

/** An attack over IPC. */
function ipc(attack: TcpAttack): Attack {
  return async (served, conditions, others) => {
    const client = overTcp(connect(served.ipc.address));
    await once(client.socket, "connect");
    await others();
    await attack(client, conditions, served);
    return client;
  };
}

/** An attack over a WebSocket. */
function ws(attack: (client: WebSocket, conditions: Conditions, served: Served) => Promise<void>): Attack {
  return async (served, conditions, others) => {
    const client = new WebSocket(`ws://${served.ws.address}`);
    client.on("error", () => {});
    const closed = ended(client);
    await Promise.race([once(client, "open"), closed]);
    await others();
    await attack(client, conditions, served);
    return { closed, destroy: () => client.terminate() };
  };
}

/** Resolves after so many messages from now on, or when the connection has ended. */
function messages(client: WebSocket, count: number): Promise<unknown> {
  if (client.readyState !== client.OPEN) return Promise.resolve();
  let left = count;
  return new Promise<void>((resolve) => {
    client.on("message", () => {
      if (--left === 0) resolve();
    });
    client.once("close", resolve);
  });
}

/** Each with a name. */
export const attacks: Readonly<Record<string, Attack>> = {
  "HTTP, a body in pieces, then half-closed": http(async (client) => {
    const text = request(VERSION);
    for (const piece of [text.slice(0, -20), text.slice(-20, -10), text.slice(-10)]) {
      client.socket.write(piece);
      await turns(20);
    }
    await client.has('"test"');
    client.socket.end();
    await client.closed;
  }),
  "HTTP, an answer that takes time": http(async (client) => {
    client.socket.write(request(SLOW));
    await client.has('"0x00"');
  }),
  "HTTP, many requests while it is others' turn": http(async (client, conditions) => {
    conditions.isDue = true;
    client.socket.write(request(VERSION).repeat(5));
    await client.has('"test"', 5);
  }),
  "HTTP, requests at the same time": http(async (client, conditions) => {
    conditions.isJoint = true;
    client.socket.write(request(VERSION).repeat(2));
    await client.has('"test"', 2);
  }),
  "HTTP, more input after a refusal": async ({ http }, _conditions, others) => {
    const client = overTcp(connect({ port: http.port, host: "127.0.0.1", allowHalfOpen: true }));
    await others();
    client.socket.write("GET\r\n\r\n");
    await client.has("400");
    client.socket.write("x".repeat(1000));
    await turns(5);
    client.socket.end();
    await client.closed;
    return client;
  },
  "HTTP, a reset": http(async (client) => {
    client.socket.write("POST");
    await turns(5);
    client.socket.resetAndDestroy();
    await client.closed;
    await turns(5);
  }),
  "HTTP, answers that are read late": http(async (client) => {
    client.socket.pause();
    client.socket.write(request(LARGE).repeat(4));
    await turns(100);
    client.socket.resume();
    await client.hasBytes(8 * LARGE_BYTES);
  }),
  "HTTP, the clock": http(async (_client, _conditions, served) => served.tick("http")),
  "HTTP, a listener that closes": async (_served, conditions, others) => {
    const { http } = await serve(conditions);
    const client = overTcp(connect(http.port, "127.0.0.1"));
    await once(client.socket, "connect");
    await others();
    client.socket.end();
    await Promise.all([http.close(), client.closed]);
    return client;
  },
  "HTTP, a node that stops during an answer": async (_served, conditions, others) => {
    const { http, stop } = await serve(conditions);
    const client = overTcp(connect(http.port, "127.0.0.1"));
    await once(client.socket, "connect");
    await others();
    conditions.onSlow = () => stop.abort();
    client.socket.write(request(SLOW));
    await client.has("HTTP");
    return client;
  },
  "TLS, many records while it is others' turn, then an end": tls(async (client, conditions) => {
    client.socket.write(request(VERSION));
    await client.has('"test"');
    conditions.isDue = true;
    (client.socket as TLSSocket).setMaxSendFragment(512);
    client.socket.write(request(VERSION.padEnd(4000)));
    await client.has('"test"', 2);
    client.destroy();
    await client.closed;
    await turns(100);
  }),
  "TLS, a handshake while it is others' turn": tls(async (client, conditions) => {
    conditions.isDue = true;
    client.socket.write(request(VERSION));
    await client.has('"test"');
  }),
  "WebSocket, messages and control frames": ws(async (client) => {
    client.send(VERSION);
    await messages(client, 1);
    client.send(SLOW);
    await messages(client, 1);
    client.ping();
    client.pong();
    await turns(5);
    client.close();
    await turns(5);
  }),
  "WebSocket, messages at the same time": ws(async (client, conditions) => {
    conditions.isJoint = true;
    for (let i = 0; i < 3; i++) client.send(VERSION);
    await messages(client, 3);
  }),
  "WebSocket, messages while it is others' turn": ws(async (client, conditions) => {
    conditions.isDue = true;
    client.send(VERSION.padEnd(2000));
    await messages(client, 1);
  }),
  "WebSocket, answers that are read late": ws(async (client) => {
    client.pause();
    for (let i = 0; i < 4; i++) client.send(LARGE);
    await turns(100);
    client.resume();
    await messages(client, 4);
    await turns(5);
  }),
  "WebSocket, the clock": ws(async (_client, _conditions, served) => served.tick("ws")),
  "WebSocket, a frame without a mask": async ({ ws }, _conditions, others) => {
    const client = overTcp(connect(ws.port, "127.0.0.1"));
    client.socket.write(
      "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
    );
    await client.has("101");
    await others();
    client.socket.write(Uint8Array.of(0x81, 1, 0x41));
    await client.closed;
    return client;
  },
  "IPC, messages, then half-closed": ipc(async (client) => {
    client.socket.write(VERSION);
    await client.has('"test"');
    client.socket.write(SLOW);
    await client.has('"0x00"');
    client.socket.end();
    await client.closed;
  }),
  "IPC, messages while it is others' turn": ipc(async (client, conditions) => {
    conditions.isDue = true;
    client.socket.write(VERSION.repeat(3));
    await client.has('"test"', 3);
  }),
  "IPC, answers that are read late": ipc(async (client) => {
    client.socket.pause();
    client.socket.write(LARGE.repeat(4));
    await turns(100);
    client.socket.resume();
    await client.hasBytes(8 * LARGE_BYTES);
  }),
  "IPC, the clock": ipc(async (_client, _conditions, served) => served.tick("ipc")),
  "IPC, a socket that a killed node left": async (_served, conditions, others) => {
    await others();
    const [listened, path] = [freePath(), freePath()];
    const killed: Server = createServer().listen(listened);
    await once(killed, "listening");
    renameSync(listened, path);
    await new Promise((resolve) => killed.close(resolve));
    const listener = await rpcOf(conditions, new AbortController()).listenIpc(path);
    await listener.close();
    return undefined;
  },
  "the provider": async ({ rpc }, _conditions, others) => {
    await others();
    await rpc.provider.request({ method: "web3_clientVersion", params: [] });
    await rpc.quietText("web3_clientVersion", []);
    return undefined;
  },
};
