import { describe, expect, it, vi } from "vitest";
import { PipeFrame, PipeFrameReader, PipeFrameWriter } from "./frames.ts";
import { RemoteSocket } from "./remote-socket.ts";

const WINDOW = 64 * 1024;

/** A socket, and the frames that its I/O process has received. */
async function socketOf({ isOpen = true } = {}) {
  const received: [kind: PipeFrame, payload: string][] = [];
  const reader = new PipeFrameReader((kind, id, payload) => {
    expect(id).toBe(7);
    received.push([kind, payload.toString("latin1")]);
  });
  const frames = new PipeFrameWriter({ write: (bytes) => reader.feed(Buffer.from(bytes)) }, setImmediate);
  const forget = vi.fn();
  const socket = new RemoteSocket(7, frames, "127.0.0.1", forget);
  const deliver = (kind: PipeFrame, text = "") => socket.receive(kind, Buffer.from(text, "latin1"));
  const sent = (bytes: number) => {
    const payload = Buffer.alloc(4);
    payload.writeUInt32LE(bytes);
    socket.receive(PipeFrame.sent, payload);
  };
  if (isOpen) deliver(PipeFrame.open);
  await turn();
  return { socket, received, deliver, sent, forget };
}

/** Waits until the end of the next turn of the event loop: by then, frames have been sent. */
async function turn() {
  for (let i = 0; i < 2; i++) await new Promise(setImmediate);
}

describe("a socket in an I/O process", () => {
  it("passes on what the client sends, and its end", async () => {
    const { socket, deliver } = await socketOf();
    const read: string[] = [];
    socket.on("data", (chunk: Buffer) => read.push(chunk.toString()));
    socket.on("end", () => read.push("end"));
    await turn();
    deliver(PipeFrame.data, "one");
    deliver(PipeFrame.data, "two");
    deliver(PipeFrame.end);
    await turn();
    expect(read).toEqual(["one", "two", "end"]);
  });

  it.each(["latin1", "utf8"] as const)("sends what is written, in order: %s", async (encoding) => {
    const { socket, received } = await socketOf();
    socket.write("a", encoding);
    socket.write(Buffer.from("b"));
    socket.write("c", encoding);
    socket.end("d");
    await turn();
    expect(
      received
        .filter(([kind]) => kind === PipeFrame.data)
        .map(([, text]) => text)
        .join(""),
    ).toBe("abcd");
    expect(received.at(-1)).toEqual([PipeFrame.end, ""]);
  });

  it("keeps what is written until the I/O process has taken the connection", async () => {
    const { socket, received, deliver } = await socketOf({ isOpen: false });
    socket.write("early", "latin1");
    await turn();
    expect(received).toEqual([]);
    deliver(PipeFrame.open);
    socket.write(", then late", "latin1");
    await turn();
    expect(received.map(([, text]) => text).join("")).toBe("early, then late");
  });

  it("counts what exceeds the window as unread until it is sent", async () => {
    const { socket, received, sent } = await socketOf();
    const drained = vi.fn();
    socket.on("drain", drained);
    expect(socket.write("x".repeat(WINDOW), "latin1")).toBe(true);
    expect(socket.write("y", "latin1")).toBe(true);
    expect(socket.write("z".repeat(20_000), "latin1")).toBe(false);
    await turn();
    expect(socket.writableLength).toBe(20_001);
    expect(socket.writableNeedDrain).toBe(true);
    const length = () => received.reduce((sum, [, text]) => sum + text.length, 0);
    expect(length()).toBe(WINDOW + 1);
    sent(1);
    await turn();
    expect(socket.writableLength).toBe(20_000);
    sent(WINDOW);
    await turn();
    expect(socket.writableLength).toBe(0);
    expect(drained).toHaveBeenCalledTimes(1);
    expect(length()).toBe(WINDOW + 20_001);
  });

  it("makes its I/O process stop reading while it is paused and full, and then continue", async () => {
    const { socket, received, deliver } = await socketOf();
    socket.on("data", () => {});
    socket.pause();
    await turn();
    for (let i = 0; i < 9; i++) deliver(PipeFrame.data, "x".repeat(8_192));
    await turn();
    expect(received).toEqual([[PipeFrame.pause, ""]]);
    socket.resume();
    await turn();
    expect(received).toEqual([
      [PipeFrame.pause, ""],
      [PipeFrame.resume, ""],
    ]);
  });

  it("is closed by either side, which is reported once", async () => {
    const here = await socketOf();
    here.socket.destroy();
    await turn();
    expect(here.received).toEqual([[PipeFrame.close, ""]]);
    expect(here.forget).toHaveBeenCalledTimes(1);

    const there = await socketOf();
    const closed = vi.fn();
    there.socket.on("close", closed);
    there.deliver(PipeFrame.close);
    await turn();
    expect(there.received).toEqual([]);
    expect(closed).toHaveBeenCalledTimes(1);
    expect(there.forget).toHaveBeenCalledTimes(1);
  });

  it("is destroyed even if its I/O process never takes it", async () => {
    const { socket, received, forget } = await socketOf({ isOpen: false });
    const closed = vi.fn();
    socket.on("close", closed);
    socket.write("lost");
    socket.destroy();
    await turn();
    expect(closed).toHaveBeenCalledTimes(1);
    expect(received).toEqual([]);
    expect(forget).toHaveBeenCalledTimes(1);
  });

  it("is closed together with an I/O process that never took it", async () => {
    const { socket, received, deliver, forget } = await socketOf({ isOpen: false });
    const closed = vi.fn();
    socket.on("close", closed);
    socket.write("lost");
    deliver(PipeFrame.close);
    await turn();
    expect(closed).toHaveBeenCalledTimes(1);
    expect(received).toEqual([]);
    expect(forget).toHaveBeenCalledTimes(1);
  });

  it("is destroyed by destroySoon once everything is sent", async () => {
    const { socket, received, deliver, sent } = await socketOf();
    socket.write(Buffer.alloc(WINDOW + 1));
    socket.destroySoon();
    await turn();
    sent(WINDOW + 1);
    await turn();
    expect(received.at(-1)?.[0]).toBe(PipeFrame.end);
    expect(socket.destroyed).toBe(false);
    deliver(PipeFrame.finished);
    await turn();
    expect(socket.destroyed).toBe(true);
    expect(received.slice(-2).map(([kind]) => kind)).toEqual([PipeFrame.end, PipeFrame.close]);
  });
});
