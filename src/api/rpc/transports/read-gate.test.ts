import { expect, it } from "vitest";
import type { ClientSocket } from "../../../platform/sockets/client-socket.ts";
import { ReadGate } from "./read-gate.ts";

/** A socket that can only be paused and resumed, and a slice that the test controls. */
function setUp() {
  let isStopped = false;
  let isDestroyed = false;
  const socket = {
    pause: () => {
      isStopped = true;
    },
    resume: () => {
      isStopped = false;
    },
    isPaused: () => isStopped,
    destroy: () => {
      isDestroyed = true;
    },
  } as unknown as ClientSocket;
  const state = { isDue: false, isPaused: false };
  const turns: (() => void)[] = [];
  const waits: unknown[][] = [];
  const parsed: number[] = [];
  const slice = {
    isDue: () => state.isDue,
    isDueForSmall: () => state.isDue,
    yield: (...by: unknown[]) => {
      waits.push(by);
      return new Promise<void>((resolve) => turns.push(resolve));
    },
  };
  const gate = new ReadGate(socket, slice, {
    guard: <T>(step: (argument: T) => void, argument?: T) => step(argument as T),
    isPaused: () => state.isPaused,
    parse: (bytes) => void parsed.push(bytes.length),
  });
  return {
    ...{ gate, state, parsed, waits },
    isStopped: () => isStopped,
    isDestroyed: () => isDestroyed,
    async nextTurn() {
      turns.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

it("parses bytes at once, in pieces, while the slice lasts", () => {
  const { gate, parsed, isStopped } = setUp();
  gate.take(Buffer.alloc(20_000));
  gate.take(Buffer.alloc(3));
  expect(parsed).toEqual([8192, 8192, 3616, 3]);
  expect(isStopped()).toBe(false);
});

it("reads no more while the slice is used up, and continues in order in a turn of its own", async () => {
  const { gate, state, parsed, waits, isStopped, nextTurn } = setUp();
  state.isDue = true;
  gate.take(Buffer.alloc(10));
  gate.take(Buffer.alloc(20));
  expect([parsed, isStopped()]).toEqual([[], true]);
  expect(waits).toEqual([["clients", gate]]);
  state.isDue = false;
  await nextTurn();
  expect([parsed, isStopped()]).toEqual([[10, 20], false]);
});

it("parses nothing while the client has to wait", () => {
  const { gate, state, parsed } = setUp();
  state.isPaused = true;
  gate.take(Buffer.alloc(10));
  expect(parsed).toEqual([]);
  state.isPaused = false;
  gate.proceed();
  expect(parsed).toEqual([10]);
});

it("once closed, drops pending and further bytes, and destroys the connection of a client that continues sending", () => {
  const { gate, state, parsed, isStopped, isDestroyed } = setUp();
  state.isDue = true;
  gate.take(Buffer.alloc(20));
  state.isPaused = true;
  state.isDue = false;
  gate.close(15);
  expect(isStopped()).toBe(true); // until its turn
  gate.take(Buffer.alloc(15));
  expect([parsed, isDestroyed()]).toEqual([[], false]);
  gate.take(Buffer.alloc(1));
  expect([parsed, isDestroyed()]).toEqual([[], true]);
});

it("once closed, continues reading from a client that had to wait", async () => {
  const { gate, state, nextTurn, isStopped } = setUp();
  state.isDue = true;
  gate.take(Buffer.alloc(20));
  state.isPaused = true;
  gate.close(15);
  await nextTurn();
  expect(isStopped()).toBe(false);
});

it("parses nothing more once the connection is over", async () => {
  const { gate, state, parsed, nextTurn } = setUp();
  state.isDue = true;
  gate.take(Buffer.alloc(20));
  gate.end();
  state.isDue = false;
  await nextTurn();
  expect(parsed).toEqual([]);
});
