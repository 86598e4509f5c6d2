import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Listener } from "../../../../platform/http/listener.ts";
import { Registry } from "../../engine/registry.ts";
import { RpcServer } from "../../engine/server.ts";
import { web3Handlers } from "../../handlers/node/web3.ts";
import { web3 } from "../../spec/node/web3.ts";
import { listenRpc } from "./server.ts";

const registry = new Registry().mount("web3", web3, web3Handlers("test"));
const access = registry.access({ unsafe: true });
let listener: Listener;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  listener = await listenRpc(new RpcServer(), access, {
    host: "127.0.0.1",
    port: 0,
    cors: [],
    hosts: ["*"],
  });
});
afterEach(async () => {
  vi.useRealTimers();
  await listener.close();
});

/** A client that sends a text and then stays silent. */
async function silentAfter(text: string): Promise<Socket> {
  const socket = connect(listener.port, "127.0.0.1");
  socket.on("error", () => {});
  await once(socket, "connect");
  if (text !== "") await new Promise<void>((sent) => socket.write(text, () => sent()));
  return socket;
}

/** Gives the server time to read what was sent. */
async function answered(): Promise<void> {
  const text = '{"id":1,"method":"web3_clientVersion"}';
  const socket = await silentAfter(
    `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\nConnection: close\r\n\r\n${text}`,
  );
  socket.resume();
  await once(socket, "close");
}

const HEAD = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";

describe("the server cuts off", () => {
  it.each([
    ["a client that says nothing", 10, ""],
    ["half a head", 10, HEAD],
    ["half a body", 30, `${HEAD}Content-Length: 100\r\n\r\n{"id"`],
    ["half a chunked body", 30, `${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\n{"id`],
  ])("%s after %d seconds", async (_, seconds, text) => {
    const socket = await silentAfter(text);
    await answered();
    const closed = once(socket, "close");
    socket.resume();
    vi.advanceTimersByTime((seconds - 1) * 1000);
    await answered();
    expect(socket.destroyed).toBe(false);
    vi.advanceTimersByTime(3_000);
    await closed;
  });

  it("a client without further requests after 120 seconds", async () => {
    const text = '{"id":1,"method":"web3_clientVersion"}';
    const socket = await silentAfter(`${HEAD}Content-Length: ${text.length}\r\n\r\n${text}`);
    await once(socket, "data");
    const closed = once(socket, "close");
    vi.advanceTimersByTime(118_000);
    await answered();
    expect(socket.destroyed).toBe(false);
    vi.advanceTimersByTime(4_000);
    await closed;
  });
});
