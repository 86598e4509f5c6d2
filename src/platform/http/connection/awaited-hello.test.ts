import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { expect, it, vi } from "vitest";
import { createGuard } from "../guard.ts";
import { AwaitedHello } from "./awaited-hello.ts";

/** An empty ClientHello: a record with a message without fields. */
const HELLO = Buffer.from([22, 3, 1, 0, 4, 1, 0, 0, 0]);

function awaiting(isDue: boolean) {
  const socket = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() }) as Socket;
  const turns: (() => void)[] = [];
  const slice = { isDue: () => isDue, yield: () => new Promise<void>((resolve) => turns.push(resolve)) };
  const begin = vi.fn();
  const awaited = new AwaitedHello(socket, {
    slice,
    guard: createGuard(
      () => socket.destroy(),
      () => {},
    ),
    deadline: 10,
    lastTurn: () => 42,
    begin,
  });
  const say = (bytes: Buffer) => socket.emit("data", bytes);
  return { socket, turns, begin, awaited, say };
}

it("begins the handshake when the ClientHello is complete, with everything that was read", () => {
  const { begin, awaited, say } = awaiting(false);
  for (const byte of HELLO.subarray(0, -1)) say(Buffer.of(byte));
  expect([begin.mock.calls.length, awaited.isIdle, awaited.deadline]).toEqual([0, true, 10]);
  say(Buffer.concat([HELLO.subarray(-1), Buffer.from("early")]));
  const all = Buffer.concat([HELLO, Buffer.from("early")]);
  expect(begin).toHaveBeenCalledExactlyOnceWith({ needsRetry: false }, all);
});

it("waits for its turn until a deadline of its own, and is not closed meanwhile to make room", async () => {
  const { turns, begin, awaited, say } = awaiting(true);
  say(HELLO);
  expect([begin.mock.calls.length, awaited.isIdle, awaited.deadline]).toEqual([0, false, 42]);
  turns[0]?.();
  await vi.waitFor(() => expect(begin).toHaveBeenCalledTimes(1), 15_000);
});

it("begins nothing for a client that left, or whose bytes are no ClientHello", async () => {
  const gone = awaiting(true);
  gone.say(HELLO);
  gone.socket.destroy();
  gone.turns[0]?.();
  const plain = awaiting(false);
  plain.say(Buffer.from("GET / HTTP/1.1\r\n"));
  expect(plain.socket.destroyed).toBe(true);
  const ended = awaiting(false);
  ended.socket.emit("end");
  expect(ended.socket.destroyed).toBe(true);
  await new Promise(setImmediate);
  for (const { begin } of [gone, plain, ended]) expect(begin).not.toHaveBeenCalled();
});
