import { expect, it, vi } from "vitest";
import { GarbageWatch } from "./garbage-watch.ts";

const MIB = 1024 * 1024;

/** Memory in MiB, none of which moves unless a test says so. */
function createWatch() {
  const memory = { old: 20, young: 1, used: 0, moved: 0, begun: 0 };
  const watch = new GarbageWatch({
    footprint() {
      const allocated = memory.old + memory.young + memory.moved;
      return { allocated: allocated * MIB, old: memory.old * MIB, young: memory.young * MIB };
    },
    used: () => memory.used * MIB,
    begin: () => memory.begun++,
  });
  return { memory, watch };
}

function watched() {
  const { memory, watch } = createWatch();
  const look = (old: number, change: Partial<typeof memory> = {}): number => {
    const { begun } = memory;
    Object.assign(memory, { old, ...change });
    watch.look();
    return memory.begun - begun;
  };
  look(20);
  return look;
}

it("collects once when much has become garbage and the process is idle", () => {
  const look = watched();
  expect([look(600), look(600), look(25), look(25), look(25)]).toEqual([0, 1, 0, 0, 0]);
  expect([look(600), look(600)]).toEqual([0, 1]);
});

it("waits while memory is in use or still changes", () => {
  const look = watched();
  const used = 580;
  expect([look(600, { used }), look(600, { used }), look(600, { used })]).toEqual([0, 0, 0]);
  expect([look(650, { used: 0 }), look(640), look(640)]).toEqual([0, 0, 1]);
});

it("counts the space for new objects once the process is idle", () => {
  const look = watched();
  const busy = Array.from({ length: 40 }, (_, index) => look(20, { young: 32, moved: 4 * (index % 2) }));
  expect(busy).not.toContain(1);
  expect([look(20), look(20, { young: 1 }), look(20)]).toEqual([1, 0, 0]);
  expect([look(20, { young: 16 }), look(20), look(20)]).toEqual([0, 0, 0]);
});

it("does not collect for what turned out not to be garbage, but notices the next garbage", () => {
  const look = watched();
  expect([look(100), look(100), look(100), look(100)]).toEqual([0, 1, 0, 0]);
  expect([look(140), look(140)]).toEqual([0, 1]);
});

it("does not collect for little", () => {
  const look = watched();
  expect([look(35), look(35), look(30), look(35), look(35)]).toEqual([0, 0, 0, 0, 0]);
});

it("collects once a minute while garbage grows without a break", () => {
  const look = watched();
  const begun = Array.from({ length: 61 }, (_, index) => look(40 + 2 * index));
  expect(begun.flatMap((count, index) => (count === 0 ? [] : index))).toEqual([18, 38, 58]);
});

it("does not collect while little grows without a break", () => {
  const look = watched();
  const begun = Array.from({ length: 100 }, (_, index) => look(20 + (index % 8) * 2));
  expect(begun).not.toContain(1);
});

it("looks until it is stopped: within seconds once the process is idle, and for a minute at most before", () => {
  vi.useFakeTimers();
  try {
    const { memory, watch } = createWatch();
    const stop = watch.start();
    vi.advanceTimersByTime(3_000);
    memory.old = 600;
    vi.advanceTimersByTime(6_000);
    expect(memory.begun).toBe(1);
    const grow = (seconds: number): void => {
      for (let i = 0; i < seconds; i++) {
        memory.old += 1;
        vi.advanceTimersByTime(1_000);
      }
    };
    grow(59);
    expect(memory.begun).toBe(1);
    grow(1);
    expect(memory.begun).toBe(2);
    stop();
    grow(120);
    expect(memory.begun).toBe(2);
  } finally {
    vi.useRealTimers();
  }
});
