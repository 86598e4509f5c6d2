import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { expect, it, vi } from "vitest";
import { guardFrames } from "./frame-guard.ts";

/** A guarded connection whose broker has been sent some requests, and what its listener is passed. */
function connection(requests: number) {
  const broker = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
  const failed = vi.fn();
  broker.on("error", failed);
  const socket = guardFrames(broker as Socket);
  const frames: Buffer[] = [];
  socket.on("data", (frame: Buffer) => frames.push(frame));
  for (let i = 0; i < requests; i++) socket.write(Buffer.alloc(10));
  const say = (...chunks: Buffer[]) => {
    for (const chunk of chunks) broker.emit("data", chunk);
  };
  return { say, frames, failed, broker };
}

function frame(bytes: number, filler = 7): Buffer {
  const made = Buffer.alloc(4 + bytes, filler);
  made.writeUInt32BE(bytes);
  return made;
}

it("passes whole responses on, in whatever pieces they arrive", () => {
  const responses = [frame(4), frame(5000, 8), frame(9, 9)];
  const bytes = Buffer.concat(responses);
  const singly = connection(3);
  singly.say(...Array.from(bytes, (byte) => Buffer.of(byte)));
  expect(singly.frames).toEqual(responses);
  const together = connection(3);
  together.say(bytes);
  expect(together.frames).toEqual(responses);
  expect(Math.max(...singly.frames.map(({ buffer }) => buffer.byteLength))).toBeLessThan(2 * 5004);
});

it("closes the connection on an unsolicited response", async () => {
  const { say, frames, failed, broker } = connection(2);
  say(Buffer.concat([frame(4), frame(4), frame(4), frame(4)]));
  expect(frames).toHaveLength(2);
  await vi.waitFor(() => expect(failed).toHaveBeenCalledTimes(1), 15_000);
  expect(String(failed.mock.calls[0]?.[0])).toContain("the broker answers what nobody asked");
  expect(broker.destroyed).toBe(true);
});
