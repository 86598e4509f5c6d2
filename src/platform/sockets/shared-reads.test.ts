import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { expect, it, vi } from "vitest";
import { type SharedReadOptions, shareReads } from "./shared-reads.ts";

const READ_BYTES = 64 * 1024;

/** A client, and the server's socket of its connection. */
async function connected(options?: SharedReadOptions) {
  const server = createServer({ allowHalfOpen: true }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const [socket] = (await once(server, "connection")) as [Socket];
  expect(shareReads(socket, options)).toBe(true);
  return { server, client, socket };
}

async function read(socket: Socket, length: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let sum = 0;
  while (sum < length) {
    const [part] = (await once(socket, "data")) as [Buffer];
    parts.push(part);
    sum += part.length;
  }
  return Buffer.concat(parts);
}

it("emits copies, and clears the buffer that was read into", async () => {
  const buffer = Buffer.alloc(READ_BYTES);
  const { server, client, socket } = await connected({ buffer });
  const fill = vi.spyOn(buffer, "fill");
  client.write("secret");
  const first = await read(socket, 6);
  expect(buffer.every((byte) => byte === 0)).toBe(true);
  client.write("others");
  expect(fill).toHaveBeenCalledExactlyOnceWith(0, 0, 6);
  expect(`${await read(socket, 6)} ${first}`).toBe("others secret");
  client.destroy();
  socket.destroy();
  server.close();
});

it("does not mix up what several clients send at once, in pieces longer than a read", async () => {
  const sent = [1, 2, 3].map((byte) => Buffer.alloc(3 * READ_BYTES + byte, byte));
  const all = await Promise.all(sent.map(() => connected()));
  for (const [i, { client }] of all.entries()) client.write(sent[i] as Buffer);
  const got = await Promise.all(all.map(({ socket }, i) => read(socket, (sent[i] as Buffer).length)));
  for (const [i, bytes] of got.entries()) expect(bytes.equals(sent[i] as Buffer)).toBe(true);
  for (const { client, socket, server } of all) {
    client.destroy();
    socket.destroy();
    server.close();
  }
});

it("stops reading while paused, emits the end, and lets the server close", async () => {
  const { server, client, socket } = await connected();
  const got: string[] = [];
  socket.on("data", (bytes) => got.push(String(bytes)));
  socket.pause();
  client.end("late");
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(got).toEqual([]);
  socket.resume();
  await once(socket, "end");
  expect(got).toEqual(["late"]);
  const closed = once(server, "close");
  server.close();
  socket.end("answer");
  const [answer] = await once(client, "data");
  expect(String(answer)).toBe("answer");
  await closed;
});

it("emits nothing of a read that was taken, and clears it nevertheless", async () => {
  const buffer = Buffer.alloc(READ_BYTES);
  const taken: string[] = [];
  const take = (bytes: Buffer): boolean => {
    taken.push(String(bytes));
    return bytes[0] !== 0x65;
  };
  const { server, client, socket } = await connected({ buffer, take });
  const emitted: string[] = [];
  socket.on("data", (bytes) => emitted.push(String(bytes)));
  client.write("body");
  await vi.waitFor(() => expect(taken).toEqual(["body"]), 15_000);
  expect([emitted, buffer.every((byte) => byte === 0)]).toEqual([[], true]);
  client.write("end");
  await vi.waitFor(() => expect(emitted).toEqual(["end"]), 15_000);
  expect(taken).toEqual(["body", "end"]);
  socket.pause();
  client.write("late");
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(taken).toHaveLength(2);
  client.destroy();
  socket.destroy();
  server.close();
});
