import { expect, it, onTestFinished } from "vitest";
import type { StreamAddress } from "../network.ts";
import { systemDatagrams } from "./datagrams.ts";

/** An open socket, and what it has received. */
async function opened(host: string, port = 0) {
  const received: { text: string; from: StreamAddress }[] = [];
  const socket = await systemDatagrams.open({ host, port }, (bytes, from) => {
    received.push({ text: Buffer.from(bytes).toString(), from });
  });
  onTestFinished(() => socket.close());
  return { socket, received };
}
const bytes = (text: string) => new TextEncoder().encode(text);

it.each(["127.0.0.1", "::"])("packets arrive at %s with their sender's IPv4 address", async (host) => {
  const [one, other] = [await opened("127.0.0.1"), await opened(host)];
  const toOther = { host: "127.0.0.1", port: other.socket.port };
  // packets may be lost
  await expect
    .poll(() => {
      one.socket.send(bytes("ping"), toOther);
      return other.received[0];
    })
    .toEqual({ text: "ping", from: { host: "127.0.0.1", port: one.socket.port } });
  await expect
    .poll(() => {
      other.socket.send(bytes("pong"), other.received[0]?.from as StreamAddress);
      return one.received[0];
    })
    .toEqual({ text: "pong", from: toOther });
});

it("a port in use is refused, and free again once its socket is closed", async () => {
  const first = await systemDatagrams.open({ host: "127.0.0.1", port: 0 }, () => {});
  const { port } = first;
  await expect(opened("127.0.0.1", port)).rejects.toThrow("EADDRINUSE");
  await first.close();
  expect((await opened("127.0.0.1", port)).socket.port).toBe(port);
});

it("a packet that cannot be sent is lost, and the next one arrives", async () => {
  const { socket, received } = await opened("127.0.0.1");
  socket.send(new Uint8Array(70_000), { host: "127.0.0.1", port: socket.port });
  await expect
    .poll(() => {
      socket.send(bytes("next"), { host: "127.0.0.1", port: socket.port });
      return received[0]?.text;
    })
    .toBe("next");
});
