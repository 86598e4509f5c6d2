import { type AddressInfo, createServer, type Socket } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import { systemRuntime } from "../runtime/system.ts";
import { createHttpClient, type HttpClientOptions } from "./http-client.ts";
import type { Lookup } from "./targets.ts";

/** A server that does nothing but accept connections, and a client for it. */
async function connected(options: Partial<HttpClientOptions> = {}) {
  const sockets: Socket[] = [];
  const server = createServer((socket) => sockets.push(socket.on("error", () => {})));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { timers } = systemRuntime;
  const client = createHttpClient({ timers, connections: 1, keepAlive: false, ...options });
  onTestFinished(() => {
    client.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const post = (most = 1000, host = "127.0.0.1") =>
    client.post({ url: new URL(`http://${host}:${port}/`), body: "", timeoutMs: 60_000, most });
  const accepted = (): Promise<Socket> =>
    vi.waitFor(() => sockets[0] ?? expect.fail("no connection"), 15_000);
  return { post, accepted, sockets };
}

it.each(["http://%zz@127.0.0.1:1/", "http://a:%ff@127.0.0.1:1/"])(
  "credentials of %s that nobody can decode are refused, and not repeated",
  async (text) => {
    const { timers } = systemRuntime;
    const client = createHttpClient({ timers, connections: 1, keepAlive: false });
    const posted = client.post({ url: new URL(text), body: "", timeoutMs: 1000, most: 1000 });
    await expect(posted).rejects.toMatchObject({ code: "FORBIDDEN_TARGET" });
    await expect(posted).rejects.not.toThrow(/%/);
    client.close();
  },
);

/** What a server sends: a beginning, and then the same again and again. */
it.each([
  [
    "bytes one by one",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
    "1\r\nx\r\n",
    /in more than 65536 pieces/,
  ],
  ["interim responses", "", "HTTP/1.1 103 Early Hints\r\n\r\n", /endless interim responses/],
  ["lines of a head", "HTTP/1.1 200 OK\r\n", "A: b\r\n", /HPE_HEADER_OVERFLOW/],
])("%s without end are abandoned", async (_, first, again, says) => {
  const piece = again.repeat(10_000);
  const server = createServer((socket) => {
    const more = (): void => {
      while (socket.writable && socket.write(piece));
    };
    socket.on("error", () => {});
    socket.on("drain", more);
    socket.write(first);
    more();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const { timers } = systemRuntime;
  const client = createHttpClient({ timers, connections: 1, keepAlive: false });
  const url = new URL(`http://127.0.0.1:${port}/`);
  await expect(client.post({ url, body: "", timeoutMs: 60_000, most: 1 << 30 })).rejects.toThrow(says);
  client.close();
  await new Promise((resolve) => server.close(resolve));
});

it("a response that pauses for ten seconds is abandoned, at its beginning or after any piece", async () => {
  const waits: { readonly ms: number; readonly end: () => void; isOver: boolean }[] = [];
  const schedule = (ms: number, end: () => void) => {
    const wait = { ms, end, isOver: false };
    waits.push(wait);
    return () => {
      wait.isOver = true;
    };
  };
  const pauses = () => waits.filter(({ ms, isOver }) => ms === 10_000 && !isOver);
  for (const pieces of [[], ["5\r\nfirst\r\n"], ["5\r\nfirst\r\n", "6\r\nsecond\r\n"]]) {
    waits.length = 0;
    const { post, accepted } = await connected({ timers: { schedule } });
    const posted = post();
    const socket = await accepted();
    const sent = ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", ...pieces];
    for (const [i, piece] of sent.entries()) {
      socket.write(piece);
      // the time limits of the connection, of the head and of each piece
      await vi.waitFor(() => expect(waits.filter(({ ms }) => ms === 10_000)).toHaveLength(i + 2), 15_000);
    }
    expect(pauses()).toHaveLength(1);
    pauses()[0]?.end();
    await expect(posted).rejects.toThrow("a pause in its response of 10000 ms");
  }
});

it("a response in pieces is joined, and refused if it is longer than allowed or compressed", async () => {
  const respond = async (head: string, most?: number) => {
    const { post, accepted } = await connected();
    const posted = post(most);
    posted.catch(() => {}); // it may fail while the rest is written
    const socket = await accepted();
    socket.write(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n`);
    if (!head.startsWith("T")) return posted;
    for (const piece of ["first, ", "second"]) {
      socket.write(`${piece.length.toString(16)}\r\n${piece}\r\n`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    socket.write("0\r\n\r\n");
    return posted;
  };
  expect(await respond("Transfer-Encoding: chunked", 13)).toMatchObject({
    body: Buffer.from("first, second"),
  });
  await expect(respond("Transfer-Encoding: chunked", 12)).rejects.toMatchObject({ code: "TOO_LARGE" });
  await expect(respond("Content-Encoding: br\r\nContent-Length: 0")).rejects.toThrow("compressed (br)");
});

it("connects to no address of a name that is not allowed", async () => {
  const lookup = ((_host: string, _options: object, done: (error: null, found: object[]) => void) =>
    done(null, [{ address: "127.0.0.1", family: 4 }])) as unknown as Lookup;
  const checkAddress = (address: string, host: string): void => {
    throw new Error(`${host} is ${address}`);
  };
  const { post, sockets } = await connected({ lookup, checkAddress });
  await expect(post(1000, "name.example")).rejects.toThrow("name.example is 127.0.0.1");
  expect(sockets).toEqual([]);
});
