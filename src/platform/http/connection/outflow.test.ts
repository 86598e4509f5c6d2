import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { UnsentBytes } from "../budget.ts";
import type { Guard } from "../guard.ts";
import { PIECE } from "../pieces.ts";
import { Outflow } from "./outflow.ts";

const LARGE = 16 * 1024;
/** What a step throws fails the test. */
const strict: Guard = <T>(step: (argument: T) => void, argument?: T) => step(argument as T);

/** A socket whose peer reads only when the test lets it. */
class SlowSocket extends EventEmitter {
  readonly written: Uint8Array[] = [];
  writableLength = 0;
  destroyed = false;

  get writableNeedDrain(): boolean {
    return this.writableLength > 0;
  }

  write(bytes: Uint8Array): boolean {
    this.written.push(bytes);
    this.writableLength += bytes.length;
    return false;
  }

  /** The peer reads everything pending. */
  read(): void {
    this.writableLength = 0;
    this.emit("drain");
  }
}

function sent(pieces: readonly Uint8Array[]) {
  const socket = new SlowSocket();
  const total = new UnsentBytes(Number.POSITIVE_INFINITY);
  const out = new Outflow(socket as unknown as Socket, total, strict);
  out.write({ pieces, length: pieces.reduce((sum, { length }) => sum + length, 0) });
  while (socket.writableLength > 0) socket.read();
  return { written: socket.written, total };
}

const bytesOf = (length: number, value = 7) => new Uint8Array(length).fill(value);

it("joins small pieces, and writes large ones without a copy", () => {
  const large = [bytesOf(LARGE), bytesOf(LARGE + 1)] as const;
  const { written } = sent([bytesOf(1), bytesOf(2), large[0], large[1], bytesOf(LARGE - 1), bytesOf(3)]);
  expect(written.map(({ length }) => length)).toEqual([3, LARGE, LARGE + 1, LARGE + 2]);
  expect(written[1]).toBe(large[0]);
  expect(written[2]).toBe(large[1]);
});

it("sends everything in order and in slices, and counts nothing afterwards", () => {
  const size = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: LARGE - 2, max: 3 * PIECE }));
  fc.assert(
    fc.property(fc.array(size, { maxLength: 12 }), (sizes) => {
      const pieces = sizes.map((length, i) => bytesOf(length, i + 1));
      const { written, total } = sent(pieces);
      expect(Buffer.compare(Buffer.concat(written), Buffer.concat(pieces))).toBe(0);
      expect(written.every(({ length }) => length <= PIECE)).toBe(true);
      expect(total.total).toBe(0);
    }),
    { numRuns: 50 },
  );
});

/** A client that has read nothing yet. */
function unread(most = Number.POSITIVE_INFINITY) {
  const socket = Object.assign(new SlowSocket(), {
    ended: 0,
    end: () => void socket.ended++,
    destroy() {
      socket.destroyed = true;
    },
  });
  const total = new UnsentBytes(most);
  return { socket, total, out: new Outflow(socket as unknown as Socket, total, strict) };
}
const piece = (length: number) => ({ pieces: [bytesOf(length)], length });
const MIB = 1024 * 1024;

it("is full while the client has something to read, and counts the memory it holds for all", () => {
  const { socket, total, out } = unread();
  expect([out.isFull, out.unsent, out.held]).toEqual([false, 0, 0]);
  out.write(piece(PIECE));
  out.write(piece(1000));
  expect([out.isFull, out.unsent]).toEqual([true, PIECE + 1000]);
  expect(out.held).toBeGreaterThan(out.unsent);
  expect(total.total).toBe(out.held);
  socket.read();
  expect([out.isFull, out.unsent]).toEqual([true, 1000]);
  socket.read();
  expect([out.isFull, out.unsent, out.held, total.total]).toEqual([false, 0, 0, 0]);
});

it("holds a long piece until all of it has been sent", () => {
  const { socket, out } = unread();
  out.write(piece(3 * PIECE));
  socket.read();
  expect(out.unsent).toBe(2 * PIECE);
  expect(out.held).toBeGreaterThanOrEqual(3 * PIECE);
  socket.read();
  expect([out.unsent, out.held]).toEqual([PIECE, PIECE]);
});

it("cuts off a client for which more than 64 MiB would wait, but not for one response alone", () => {
  const { socket, total, out } = unread();
  out.write(piece(65 * MIB));
  expect(socket.destroyed).toBe(false);
  out.write(piece(1));
  expect([socket.destroyed, total.cut]).toEqual([true, 1]);
  socket.emit("close");
  expect(total.total).toBe(0);
  const patient = unread();
  patient.out.write(piece(32 * MIB));
  patient.out.write(piece(31 * MIB));
  expect(patient.socket.destroyed).toBe(false);
  patient.out.write(piece(MIB));
  expect(patient.socket.destroyed).toBe(true);
});

it("is stalled once the client has read nothing for 30 s", () => {
  let nowMs = 5_000;
  vi.spyOn(performance, "now").mockImplementation(() => nowMs);
  const { socket, out } = unread();
  out.write(piece(2 * PIECE));
  nowMs += 20_000;
  socket.read();
  nowMs += 30_000;
  expect(out.isStalled).toBe(false);
  nowMs += 1;
  expect(out.isStalled).toBe(true);
  socket.read();
  expect(out.isStalled).toBe(false);
});

it("ends the socket once all has been sent, and sends nothing afterwards", () => {
  const { socket, out } = unread();
  out.write(piece(PIECE + 1));
  out.end();
  out.write("late");
  expect(socket.ended).toBe(0);
  socket.read();
  expect([socket.ended, out.isFull]).toEqual([1, false]);
  expect(Buffer.concat(socket.written)).toHaveLength(PIECE + 1);
  const empty = unread();
  empty.out.end();
  expect(empty.socket.ended).toBe(1);
});

it("holds nothing for a client that has gone", () => {
  const { socket, total, out } = unread();
  out.write(piece(3 * PIECE));
  socket.writableLength = 0;
  socket.destroy();
  socket.emit("close");
  expect([out.held, total.total, out.isFull, total.cut]).toEqual([0, 0, false, 0]);
  out.write(piece(1));
  expect(socket.written).toHaveLength(1);
});

it("is not full after a write that fails because the socket has gone: it never drains", () => {
  const { socket, out } = unread();
  socket.write = () => {
    socket.destroyed = true;
    return false;
  };
  out.write(piece(1));
  expect(out.isFull).toBe(false);
});
