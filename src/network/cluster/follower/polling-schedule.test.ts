import { describe, expect, it } from "vitest";
import { PollingSchedule } from "./polling-schedule.ts";

const LONGEST_MS = 1_000;

/** The rule without what is known of earlier records. */
class Forgetful extends PollingSchedule {
  #newestMs = 0;

  override polled(nowMs: number, count: number): void {
    if (count > 0) this.#newestMs = nowMs;
  }

  override pauseMs(nowMs: number): number {
    return new PollingSchedule(this.#newestMs, LONGEST_MS).pauseMs(nowMs);
  }
}

/** Looks for records that come at some times. @returns how late each was found, and how often it was polled */
function play(times: readonly number[], cadence = new PollingSchedule(0, LONGEST_MS)) {
  const lags: number[] = [];
  let [now, looks] = [0, 0];
  for (let next = 0; next < times.length; ) {
    now += cadence.pauseMs(now);
    looks++;
    const before = next;
    for (; next < times.length && (times[next] as number) <= now; next++)
      lags.push(now - (times[next] as number));
    cadence.polled(now, next - before);
  }
  return { lags, looks, perSecond: (1_000 * looks) / now };
}

/** Numbers from 0 to 1 that are the same each time. */
function randomness(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Times of records, by the interval before each. */
function timesOf(count: number, interval: (i: number) => number): number[] {
  let now = 0;
  return Array.from({ length: count }, (_, i) => {
    now += interval(i);
    return now;
  });
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

describe("PollingSchedule", () => {
  it("polls a log with one record per second a dozen times a second, and finds each within 30 ms", () => {
    const random = randomness(1);
    const times = Array.from({ length: 300 }, (_, i) => 1_000 * (i + 1) + 60 * (random() - 0.5));
    const { lags, perSecond } = play(times);
    expect(Math.max(...lags)).toBeLessThan(30);
    expect(perSecond).toBeLessThan(15);
    expect(play(times, new Forgetful(0, LONGEST_MS)).perSecond).toBeGreaterThan(50);
  });

  it.each([250, 500, 2_000, 10_000, 60_000])(
    "finds records that come each %d ms in less than a twentieth of that",
    (interval) => {
      const { lags } = play(timesOf(100, () => interval));
      expect(Math.max(...lags)).toBeLessThanOrEqual(Math.max(20, interval / 20));
    },
  );

  it("finds irregular records as fast as without knowledge of earlier ones", () => {
    const random = randomness(7);
    const times = timesOf(20_000, () => 20 * 1_000 ** random());
    const [known, forgotten] = [play(times), play(times, new Forgetful(0, LONGEST_MS))];
    expect(mean(known.lags)).toBeLessThan(1.02 * mean(forgotten.lags));
    expect(Math.max(...known.lags)).toBeLessThanOrEqual(LONGEST_MS);
  });

  it("finds a record after a minute's silence within a second, and regular ones after it without delay", () => {
    const { lags } = play([...timesOf(20, () => 1_000), 80_000, 80_040, 81_000, 82_000]);
    expect(Math.max(...lags.slice(-4))).toBeLessThanOrEqual(LONGEST_MS);
    expect(Math.max(...lags.slice(-2))).toBeLessThan(30);
  });

  it("is at most a quarter of a second late for an early record after regular ones, and less for those after it", () => {
    for (const early of [50, 300, 700, 1_300]) {
      const { lags } = play([
        ...timesOf(20, () => 2_000),
        ...[1, 2, 3, 4, 5, 6].map((i) => 40_000 + i * early),
      ]);
      expect(Math.max(...lags)).toBeLessThanOrEqual(250);
      expect(lags.at(-1)).toBeLessThan(30);
    }
  });
});
