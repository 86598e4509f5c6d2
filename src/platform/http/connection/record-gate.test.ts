import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { describe, expect, it, vi } from "vitest";
import { createGuard } from "../guard.ts";
import { RecordGate } from "./record-gate.ts";

/** A record with so many bytes. */
function record(length: number): Buffer {
  const bytes = Buffer.alloc(5 + length, 7);
  bytes.writeUInt16BE(length, 3);
  return bytes;
}

/** A key update: 5 bytes, and 17 of encryption. */
const SMALL = record(22);

function gated(first: Buffer = Buffer.alloc(0)) {
  const sent: Buffer[] = [];
  const socket = new Duplex({
    read() {},
    write(chunk, _encoding, done) {
      sent.push(chunk);
      done();
    },
  });
  Object.assign(socket, { remoteAddress: "192.0.2.1", setNoDelay: vi.fn() });
  const due = vi.fn(() => false);
  const turns: (() => void)[] = [];
  const lanes: unknown[][] = [];
  const slice = {
    isDue: due,
    yield: (...lane: unknown[]) => {
      lanes.push(lane);
      return new Promise<void>((resolve) => turns.push(resolve));
    },
  };
  const faults: unknown[] = [];
  const guard = createGuard(
    () => socket.destroy(),
    (fault) => faults.push(fault),
  );
  const gate = new RecordGate(socket as unknown as Socket, { slice, guard, first });
  const passed: Buffer[] = [];
  gate.on("data", (piece) => passed.push(piece)).on("error", () => {});
  const come = (bytes: Buffer) => socket.emit("data", bytes);
  return { gate, socket, sent, passed, come, due, turns, lanes, faults };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("what a client with TLS sends", () => {
  it("is passed on unchanged, however it is cut, what was read before first", async () => {
    const { passed, come } = gated(SMALL.subarray(0, 3));
    await settled();
    const all = Buffer.concat([SMALL.subarray(3), ...[0, 1, 300, 16_384].map(record), SMALL]);
    for (let at = 0; at < all.length; at += 7) come(all.subarray(at, at + 7));
    await settled();
    expect(Buffer.concat(passed)).toEqual(Buffer.concat([SMALL.subarray(0, 3), all]));
  });

  it("is passed on a few records at a time within the slice, and nothing is read while it is others' turn", async () => {
    const { gate, passed, come, socket, due, turns, lanes } = gated();
    await settled();
    const counts = () => passed.map(({ length }) => length / SMALL.length);
    due.mockReturnValueOnce(false).mockReturnValue(true);
    come(Buffer.concat(Array.from({ length: 40 }, () => SMALL)));
    expect([counts(), socket.isPaused(), turns.length]).toEqual([[2, 16], true, 1]);
    come(record(1));
    expect([counts(), lanes]).toEqual([[2, 16], [["clients", gate]]]);
    due.mockReturnValue(false);
    turns[0]?.();
    await settled();
    expect(counts().slice(0, 3)).toEqual([2, 16, 16]);
    expect(Buffer.concat(passed).length).toBe(40 * SMALL.length + 6);
    expect(socket.isPaused()).toBe(false);
  });

  it("waits for no turn where it is a request alone, or what was read before", async () => {
    const { passed, come, due, turns } = gated(SMALL);
    due.mockReturnValue(true);
    await settled();
    for (let i = 0; i < 3; i++) come(Buffer.concat([SMALL, SMALL]));
    expect([passed.length, turns.length]).toEqual([4, 0]);
    come(SMALL.subarray(0, 3));
    come(Buffer.concat([SMALL.subarray(3), SMALL, SMALL]));
    expect([Buffer.concat(passed).length, turns.length]).toEqual([9 * SMALL.length, 1]);
  });

  it("in long records is passed on as it comes", async () => {
    const { passed, come, due } = gated();
    await settled();
    due.mockClear();
    come(record(16_384).subarray(0, 10_000));
    come(record(16_384).subarray(10_000));
    await settled();
    expect([passed.length, due.mock.calls.length]).toEqual([2, 0]);
  });

  it("waits while nothing is taken", async () => {
    const { gate, passed, come, socket } = gated();
    await settled();
    gate.pause();
    for (let i = 0; i < 4; i++) come(record(16_384));
    expect([passed.length, socket.isPaused()]).toEqual([0, true]);
    gate.resume();
    await vi.waitFor(() => expect(Buffer.concat(passed).length).toBe(4 * 16_389));
    expect(socket.isPaused()).toBe(false);
  });

  it("is passed on to its end, without a head that is cut off", async () => {
    const { gate, passed, come, socket, due, turns } = gated();
    await settled();
    const ended = vi.fn();
    gate.on("end", ended);
    due.mockReturnValue(true);
    come(Buffer.concat([SMALL, SMALL, SMALL, SMALL.subarray(0, 4)]));
    socket.emit("end");
    await settled();
    expect(ended).not.toHaveBeenCalled();
    due.mockReturnValue(false);
    turns[0]?.();
    await vi.waitFor(() => expect(ended).toHaveBeenCalled());
    expect(Buffer.concat(passed)).toEqual(Buffer.concat([SMALL, SMALL, SMALL]));
  });

  it("ends at once where nothing waits, and a head alone is passed on", async () => {
    const { gate, passed, come, socket } = gated();
    await settled();
    come(SMALL.subarray(0, 5));
    expect(passed).toHaveLength(1);
    await settled();
    const ended = vi.fn();
    gate.on("end", ended);
    socket.emit("end");
    await vi.waitFor(() => expect(ended).toHaveBeenCalled());
  });

  it("ends with its connection, and its connection with it", async () => {
    const one = gated();
    one.socket.destroy();
    await settled();
    expect(one.gate.destroyed).toBe(true);
    const other = gated();
    other.gate.destroy();
    expect(other.socket.destroyed).toBe(true);
    const failing = gated();
    failing.due.mockImplementation(() => {
      throw new Error("bug");
    });
    failing.come(Buffer.concat([SMALL, SMALL, SMALL]));
    expect([failing.socket.destroyed, failing.faults.length]).toEqual([true, 1]);
  });
});

it("what is sent to a client with TLS is written at once, and its end", async () => {
  const { gate, socket, sent } = gated();
  gate.write("abc");
  expect(Buffer.concat(sent).toString()).toBe("abc");
  expect(gate.remoteAddress).toBe("192.0.2.1");
  expect((socket as unknown as Socket).setNoDelay).toHaveBeenCalledWith(true);
  gate.end();
  await vi.waitFor(() => expect(socket.writableFinished).toBe(true));
});
