import type { Cancel, Clock, Randomness, Runtime, Timers } from "./runtime.ts";
import { createSimulatedFiles, type SimulatedFiles } from "./simulated/files.ts";

/** A machine with virtual time: the test advances its clock. Equal seeds give equal runs. */
export interface SimulatedRuntime extends Runtime {
  readonly files: SimulatedFiles;
  /** Advances the clock, running the calls that fall due in order; promises settle between the calls. */
  advance(milliseconds: number): Promise<void>;
  /** Sets the wall clock forward or back; scheduled calls are not affected. */
  setClock(milliseconds: number): void;
  /** Number of scheduled calls. */
  readonly scheduled: number;
}

interface Call {
  readonly at: number;
  readonly order: number;
  readonly callback: () => void;
}

/**
 * Creates a simulated machine.
 * @param options.startMs - first value of the clock
 * @param options.seed - of the randomness, which is predictable and for tests only
 */
export function createSimulatedRuntime(options: { startMs?: number; seed?: number } = {}): SimulatedRuntime {
  const calls = new Set<Call>();
  let now = options.startMs ?? 0;
  let order = 0;
  let set = 0;
  const clock: Clock = { now: () => now + set, elapsed: () => now };
  const timers: Timers = {
    schedule(delayMs, callback): Cancel {
      const call = { at: now + Math.max(0, delayMs), order: order++, callback };
      calls.add(call);
      return () => void calls.delete(call);
    },
  };
  const nextDue = (until: number): Call | undefined => {
    let first: Call | undefined;
    for (const call of calls)
      if (
        call.at <= until &&
        (!first || call.at < first.at || (call.at === first.at && call.order < first.order))
      )
        first = call;
    return first;
  };
  return {
    clock,
    timers,
    randomness: createSeededRandomness(options.seed ?? 1),
    files: createSimulatedFiles(),
    setClock(milliseconds) {
      set += milliseconds;
    },
    get scheduled() {
      return calls.size;
    },
    async advance(milliseconds) {
      const until = now + milliseconds;
      await settle();
      for (let call = nextDue(until); call; call = nextDue(until)) {
        calls.delete(call);
        now = call.at;
        call.callback();
        await settle();
      }
      now = until;
    },
  };
}

/** A seeded generator (mulberry32). Not for keys. */
export function createSeededRandomness(seed: number): Randomness {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (t ^ (t >>> 14)) >>> 0;
  };
  return { bytes: (length) => Uint8Array.from({ length }, () => next() & 0xff) };
}

/** Resolves once the microtask queue is empty. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
