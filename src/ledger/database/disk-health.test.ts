import { describe, expect, it } from "vitest";
import { systemRuntime } from "../../platform/runtime/system.ts";
import { DiskHealth } from "./disk-health.ts";
import { DatabaseError } from "./errors.ts";

const damage = new DatabaseError("DATABASE_DAMAGED", "a row was read that was never written");

it("retries a failed write after 0.1 s, then half as often each time, and every 5 s in the end", async () => {
  const delays: number[] = [];
  const health = new DiskHealth({
    schedule(delayMs, callback) {
      delays.push(delayMs);
      return systemRuntime.timers.schedule(0, callback);
    },
  });
  let left = 9;
  await health.retry("the log", async () => {
    if (left-- > 0) throw Object.assign(new Error("no space left"), { code: "ENOSPC" });
  });
  expect(delays).toEqual([100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000, 5_000]);
  expect(health.now.state).toBe("healthy");
});

describe("once damage was detected", () => {
  it("no write is started", async () => {
    const health = new DiskHealth(systemRuntime.timers);
    health.reportDamage(damage);
    const writing = health.retry("the log", () => Promise.reject(new Error("a write was started")));
    await expect(writing).rejects.toBe(damage);
  });

  it("a failed write is not retried", async () => {
    const health = new DiskHealth({ schedule: (_, callback) => systemRuntime.timers.schedule(0, callback) });
    let tries = 0;
    const writing = health.retry("the log", async () => {
      if (++tries === 3) health.reportDamage(damage);
      throw Object.assign(new Error("no space left"), { code: "ENOSPC" });
    });
    await expect(writing).rejects.toBe(damage);
    expect(tries).toBe(3);
  });
});
