import { afterEach, expect, it, vi } from "vitest";
import { Allowance } from "../../../platform/http/budget.ts";
import { MessageIntake } from "./message-intake.ts";

const KIB = 1024;
const HEAD = 6;

afterEach(() => void vi.useRealTimers());

it("counts a partial message beyond 64 KiB, and releases it at the end", () => {
  const allowance = new Allowance(1000 * KIB);
  const intake = new MessageIntake(allowance);
  for (let read = 0; read < 10; read++) expect(intake.add(64 * KIB)).toBe(true);
  expect(allowance.used).toBe(9 * 64 * KIB);
  intake.end();
  expect(intake.add(64 * KIB)).toBe(true);
  expect(allowance.used).toBe(0);
});

it("refuses bytes beyond the shared budget, and releases what it took", () => {
  const allowance = new Allowance(200 * KIB);
  const [first, second] = [new MessageIntake(allowance), new MessageIntake(allowance)];
  expect(first.add(200 * KIB)).toBe(true);
  expect(second.add(200 * KIB)).toBe(false);
  first.release();
  second.release();
  expect(allowance.used).toBe(0);
  expect(second.add(200 * KIB)).toBe(true);
});

it("considers a message late after 30 s, but no client that only pings or whose socket is paused", () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  const intake = new MessageIntake(new Allowance(KIB));
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
  const intake = new MessageIntake(new Allowance(KIB));
  intake.add(1);
  for (let second = 0; second <= 30; second++) {
    vi.advanceTimersByTime(1000);
    intake.addControlFrame(5);
    intake.add(HEAD + 5);
  }
  expect(intake.isLate(false)).toBe(true);
});
