import { afterEach, expect, it, vi } from "vitest";
import { Allowance } from "../../../platform/http/budget.ts";
import { MessageIntake } from "./message-intake.ts";

const KIB = 1024;
const HEAD = 6;
/** Bytes counted for each piece besides its own. */
const EACH = 512;
const LONGEST = 5 * KIB * KIB;

const intakeOf = (allowance: Allowance, longest = LONGEST) => new MessageIntake(allowance, longest, 30);

afterEach(() => void vi.useRealTimers());

it("counts a partial message beyond 64 KiB, and releases it at the end", () => {
  const allowance = new Allowance(1000 * KIB);
  const intake = intakeOf(allowance);
  for (let read = 0; read < 10; read++) expect(intake.add(64 * KIB)).toBeUndefined();
  expect(allowance.used).toBe(9 * 64 * KIB + 10 * EACH);
  intake.end();
  expect(intake.add(64 * KIB)).toBeUndefined();
  expect(allowance.used).toBe(0);
});

it("refuses bytes beyond the shared budget, and releases what it took", () => {
  const allowance = new Allowance(200 * KIB);
  const [first, second] = [intakeOf(allowance), intakeOf(allowance)];
  expect(first.add(200 * KIB)).toBeUndefined();
  expect(second.add(200 * KIB)).toBe("busy");
  first.release();
  second.release();
  expect(allowance.used).toBe(0);
  expect(second.add(200 * KIB)).toBeUndefined();
});

it("counts the control frames between the pieces of a message, whose memory these hold", () => {
  const allowance = new Allowance(1000 * KIB);
  const intake = intakeOf(allowance);
  const read = (fragment: number) => {
    for (let ping = 0; ping < 64; ping++) intake.addControlFrame(122);
    return intake.add(fragment + 64 * 128);
  };
  for (let i = 0; i < 100; i++) expect(read(0)).toBeUndefined();
  expect(intake.isPartial).toBe(false);
  expect(allowance.used).toBe(0);
  for (let i = 0; i < 100; i++) expect(read(1)).toBeUndefined();
  expect(intake.isPartial).toBe(true);
  expect(allowance.used).toBe(100 * (1 + 64 * 128 + EACH) - 64 * KIB);
  intake.end();
  expect(read(1)).toBeUndefined();
  expect(allowance.used).toBe(0);
});

it("refuses a message in so many pieces that they take more than three times the longest one", () => {
  const allowance = new Allowance(100 * LONGEST);
  const intake = intakeOf(allowance);
  let pieces = 0;
  while (intake.add(1) === undefined) pieces++;
  expect(pieces).toBe(Math.floor((3 * LONGEST + 64 * KIB) / (EACH + 1)));
  intake.release();
  const patient = intakeOf(allowance);
  for (let at = 0; at < LONGEST; at += 300) expect(patient.add(300)).toBeUndefined();
});

it("considers a message late after 30 s, but no client that only pings or whose socket is paused", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const intake = intakeOf(new Allowance(KIB));
  for (let second = 0; second < 100; second++) {
    intake.addControlFrame(5);
    intake.add(HEAD + 5);
    vi.advanceTimersByTime(1000);
    expect(intake.isLate(false)).toBe(false);
  }
  intake.add(100);
  vi.advanceTimersByTime(29_000);
  expect(intake.isLate(false)).toBe(false);
  intake.addControlFrame(0);
  intake.add(HEAD);
  vi.advanceTimersByTime(2000);
  expect(intake.isLate(true)).toBe(false);
  vi.advanceTimersByTime(31_000);
  expect(intake.isLate(false)).toBe(true);
  intake.end();
  intake.add(100);
  expect(intake.isLate(false)).toBe(false);
});

it("considers a short message late although its client pings in between", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const intake = intakeOf(new Allowance(KIB));
  intake.add(1);
  for (let second = 0; second <= 30; second++) {
    vi.advanceTimersByTime(1000);
    intake.addControlFrame(5);
    intake.add(HEAD + 5);
  }
  expect(intake.isLate(false)).toBe(true);
});
