import { once } from "node:events";
import { connect } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { TimeSlice } from "../runtime/turns/time-slice.ts";
import { Allowance, DEFAULT_TIMES, UnsentBytes } from "./budget.ts";
import { listenHttp } from "./listener.ts";
import type { Handler } from "./service.ts";

const MIB = 1024 * 1024;
const REQUEST = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

async function serve(slice = new TimeSlice(), handle?: Handler): Promise<number> {
  const budget = {
    ...{ connections: new Allowance(10), bodies: new Allowance(MIB), unsent: new UnsentBytes(MIB) },
    ...{ times: DEFAULT_TIMES, slice },
  };
  const verdict = { status: 200, headers: "", text: "fine", close: false, ...(handle && { handle }) };
  const listener = await listenHttp(
    { maxBody: MIB, admit: () => verdict },
    { host: "127.0.0.1", port: 0, budget },
  );
  onTestFinished(() => listener.close());
  return listener.port;
}

/** Sends bytes and reads until the connection is closed. */
async function exchange(port: number, bytes: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {}); // a reset while it is still sending
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  socket.write(bytes);
  await once(socket, "close");
  return text;
}

it("a connection may send some empty lines before each request, but not nothing else", async () => {
  const port = await serve();
  const last = REQUEST.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n");
  const few = "\r\n".repeat(400);
  expect(
    (await exchange(port, `${few}${REQUEST}${few}${REQUEST}${few}${last}`)).match(/200 OK/g),
  ).toHaveLength(3);
  expect(await exchange(port, "\r\n".repeat(600))).toMatch(/^HTTP\/1\.1 400 /);
});

it("a refusal reaches a client that still sends, and is not reset", async () => {
  const port = await serve();
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  const errors: Error[] = [];
  socket.on("error", (error) => errors.push(error));
  socket.write("GET\r\n\r\n");
  const [refusal] = await once(socket, "data");
  expect(String(refusal)).toMatch(/^HTTP\/1\.1 400 /);
  socket.end(Buffer.alloc(4 * MIB, "x"));
  await once(socket, "close");
  expect(errors).toEqual([]);
});

/** A slice that is always used up, and counts how often that made work yield. */
class UsedSlice extends TimeSlice {
  yields = 0;

  override isDue(): boolean {
    return true;
  }

  override yield(...given: Parameters<TimeSlice["yield"]>): Promise<void> {
    this.yields++;
    return super.yield(...given);
  }
}

it.each([
  ["a body in many chunks", `${"1\r\nx\r\n".repeat(3_200)}0\r\n\r\n`, 3_200],
  ["many trailers", `1\r\nx\r\n0\r\n${"a: b\r\n".repeat(2_000)}\r\n`, 1],
])(
  "%s yields to others every few lines, and arrives whole from a client that has closed its side",
  async (_, body, length) => {
    const slice = new UsedSlice();
    const port = await serve(slice, (bytes) => `${bytes.length} bytes`);
    const socket = connect(port, "127.0.0.1");
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.end(`POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${body}`);
    await once(socket, "close");
    expect(text).toContain(`${length} bytes`);
    expect(slice.yields).toBeGreaterThan(50);
  },
);
