import { describe, expect, it } from "vitest";
import { emptyHeader } from "../../../protocol/block/testing/header.ts";
import { ChainClock } from "./chain-clock.ts";

const LATEST_MS = 8_640_000_000_000_000;

function setUp() {
  let wallMs = 50_000;
  const clock = new ChainClock({ now: () => wallMs, elapsed: () => wallMs });
  const pass = (milliseconds: number) => {
    wallMs += milliseconds;
  };
  return { clock, pass, parent: { ...emptyHeader(), time: 60n } };
}

describe("the clock of a chain", () => {
  it("continues from where it was set", () => {
    const { clock, pass } = setUp();
    expect(clock.advance(7_000)).toBe(7_000);
    pass(500);
    expect([clock.now(), clock.offsetMs]).toEqual([57_500, 7_000]);
    clock.set(20_000);
    pass(1);
    expect([clock.now(), clock.offsetMs]).toEqual([20_001, -30_500]);
    clock.reset();
    expect(clock.offsetMs).toBe(0);
  });

  it("fixes the time of one block, and continues from there once it is sealed", () => {
    const { clock, pass, parent } = setUp();
    clock.setNext(90n, parent);
    expect(clock.peekNext(parent)).toBe(90_000);
    clock.passNext(parent, 89_000);
    expect(clock.peekNext(parent)).toBe(90_000);
    clock.passNext(parent, 90_000);
    pass(250);
    expect(clock.peekNext(parent)).toBe(90_250);
  });

  it("spaces blocks by an interval, after a fixed time", () => {
    const { clock, parent } = setUp();
    clock.setInterval(5n);
    expect(clock.peekNext(parent)).toBe(65_000);
    clock.setNext(61n, parent);
    expect(clock.peekNext(parent)).toBe(61_000);
    clock.setInterval(undefined);
    clock.passNext(parent, 61_000);
    expect(clock.peekNext(parent)).toBe(61_000);
  });

  it("restores a setting", () => {
    const { clock, pass, parent } = setUp();
    clock.setNext(99n, parent);
    clock.setInterval(3n);
    const { setting } = clock;
    expect(setting).toEqual({ nowMs: 50_000, nextSeconds: 99n, intervalSeconds: 3n });
    clock.reset();
    expect(clock.peekNext(parent)).toBe(50_000);
    pass(10);
    clock.restore(setting);
    expect(clock.setting).toEqual(setting);
  });

  it("allows the years 1970 to 275760, and only times after the parent's", () => {
    const { clock, parent } = setUp();
    expect(() => clock.setNext(60n, parent)).toThrow(
      "timestamp 60 is not after that of the latest block, 60",
    );
    expect(() => clock.set(-1)).toThrow("the clock begins in 1970");
    clock.set(0);
    clock.set(LATEST_MS);
    const late = "timestamp 8640000000000 is too late: the clock ends at 8640000000000, in the year 275760";
    expect(() => clock.set(LATEST_MS + 1)).toThrow(late);
    expect(() => clock.setNext(8_640_000_000_001n, parent)).toThrow("timestamp 8640000000001 is too late");
    expect(clock.setting.nextSeconds).toBeUndefined();
    clock.setNext(8_640_000_000_000n, parent);
    expect(clock.peekNext(parent)).toBe(LATEST_MS);
  });
});
