import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { TimeSlice } from "../runtime/turns/time-slice.ts";
import { Allowance, DEFAULT_TIMES, UnsentBytes } from "./budget.ts";
import { FREE_BYTES } from "./connection/body-buffer.ts";
import { listenHttp } from "./listener.ts";

const MIB = 1024 * 1024;
/** Bytes of a body: there is not enough memory for two. */
const LENGTH = 600 * 1024;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
});

async function serve() {
  const bodies = new Allowance(MIB);
  const budget = {
    ...{ connections: new Allowance(10), bodies, unsent: new UnsentBytes(MIB) },
    times: DEFAULT_TIMES,
    slice: new TimeSlice(),
  };
  const handle = (body: Buffer) => `${body.length} bytes`;
  const verdict = { status: 200, headers: "", text: "", close: false, handle };
  const listener = await listenHttp(
    { maxBody: MIB, admit: () => verdict },
    { host: "127.0.0.1", port: 0, budget },
  );
  onTestFinished(() => listener.close());
  const send = (bytes: number): Socket => {
    const socket = connect(listener.port, "127.0.0.1");
    socket.on("error", () => {});
    onTestFinished(() => void socket.destroy());
    socket.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${LENGTH}\r\n\r\n`);
    socket.write(Buffer.alloc(bytes, 0x78));
    return socket;
  };
  return { bodies, send };
}

async function responseOf(socket: Socket): Promise<string> {
  const [chunk] = await once(socket, "data");
  return String(chunk);
}

it("a body gets the memory of others that arrive slowly, however many there are", async () => {
  const { bodies, send } = await serve();
  const slow = [send(LENGTH / 2), send(LENGTH / 3)];
  const small = send(1000);
  const gone = slow.map((socket) => once(socket.resume(), "close"));
  await expect.poll(() => bodies.used).toBeGreaterThan(LENGTH - 2 * FREE_BYTES);
  const held = bodies.used;
  await expect
    .poll(async () => (bodies.has(LENGTH) ? "" : responseOf(send(LENGTH))))
    .toMatch(/^HTTP\/1\.1 503 [\s\S]*\r\nRetry-After: 1\r\n/);
  expect(bodies.used).toBe(held);
  vi.advanceTimersByTime(2_000);
  expect(await responseOf(send(LENGTH))).toMatch(/\r\n\r\n614400 bytes$/);
  await Promise.all(gone);
  expect(bodies.used).toBe(0);
  small.write(Buffer.alloc(LENGTH - 1000, 0x78));
  expect(await responseOf(small)).toContain("614400 bytes");
});

it("a body that is slow itself is refused where it would be the only one evicted", async () => {
  const { bodies, send } = await serve();
  expect(bodies.take(MIB - LENGTH / 2)).toBe(true);
  const socket = send(LENGTH / 4);
  await expect.poll(() => bodies.used).toBeGreaterThan(MIB - LENGTH / 2);
  vi.advanceTimersByTime(2_000);
  socket.write(Buffer.alloc(LENGTH - LENGTH / 4, 0x78));
  expect(await responseOf(socket)).toMatch(/^HTTP\/1\.1 503 [\s\S]*\r\nRetry-After: 1\r\n/);
  await expect.poll(() => bodies.used).toBe(MIB - LENGTH / 2);
});
