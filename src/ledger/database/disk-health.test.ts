import { describe, expect, it } from "vitest";
import { systemRuntime } from "../../platform/runtime/system.ts";
import { DiskHealth } from "./disk-health.ts";
import { DatabaseError } from "./errors.ts";

const damage = new DatabaseError("DATABASE_DAMAGED", "a row was read that was never written");

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
