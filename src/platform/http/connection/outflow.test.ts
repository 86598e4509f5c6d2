import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import fc from "fast-check";
import { expect, it } from "vitest";
import { UnsentBytes } from "../budget.ts";
import { PIECE } from "../pieces.ts";
import { Outflow } from "./outflow.ts";

const LARGE = 16 * 1024;

/** A socket whose peer reads only when the test lets it. */
class SlowSocket extends EventEmitter {
  readonly written: Uint8Array[] = [];
  writableLength = 0;
  destroyed = false;

  get writableNeedDrain(): boolean {
    return this.writableLength > 0;
  }

  write(bytes: Uint8Array): void {
    this.written.push(bytes);
    this.writableLength += bytes.length;
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
  const out = new Outflow(socket as unknown as Socket, total);
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
