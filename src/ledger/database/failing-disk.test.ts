import { describe, expect, it } from "vitest";
import type { Files } from "../../platform/runtime/files.ts";
import type { Timers } from "../../platform/runtime/runtime.ts";
import { createSimulatedFiles } from "../../platform/runtime/simulated/files.ts";
import { systemRuntime } from "../../platform/runtime/system.ts";
import { Database } from "./database.ts";
import { DiskHealth } from "./disk-health.ts";
import { CommitLog } from "./log/commit-log.ts";
import { createMemoryStore } from "./memory/memory-store.ts";
import { key, one } from "./testing/rows.ts";

/** Timers that do not wait. */
const noDelay: Timers = { schedule: (_, callback) => systemRuntime.timers.schedule(0, callback) };
const logged = (files: Files) => {
  const health = new DiskHealth(noDelay);
  return { health, log: new CommitLog(files, "db", health) };
};

describe("a database on a failing disk", () => {
  it("recovers from the log if the engine could not write before it was closed", async () => {
    const files = createSimulatedFiles();
    const engine = createMemoryStore();
    let writes = 0; // the first notes the log's segments
    const write: typeof engine.write = (batch) =>
      writes++ === 0 ? engine.write(batch) : Promise.reject(new Error("EIO"));
    const failing = { ...engine, write };
    const database = new Database({ store: failing, ...logged(files), flushBytes: 10_000 });
    database.recover(() => {});
    const table = database.table("a");
    table.put(one, key(7));
    await database.record(key(7));
    const flushed = database.flush();
    const refused = expect.objectContaining({ code: "DATABASE_FAILED" });
    await expect(database.health.unlessFailing(flushed)).rejects.toThrow(refused);
    expect(table.get(one)).toEqual(key(7));
    expect(() => database.health.check()).toThrow(refused);
    await Promise.all([database.close(), expect(flushed).rejects.toThrow(refused)]);

    const seen: number[] = [];
    new Database({ store: engine, ...logged(files) }).recover((payload) => seen.push(payload[0] as number));
    expect(seen).toEqual([7]);
  });

  it("writes the queued rows once the engine accepts writes again", async () => {
    const engine = createMemoryStore();
    let failures = 3;
    const failing: typeof engine = {
      ...engine,
      write: (batch) => (failures-- > 0 ? Promise.reject(new Error("ENOSPC")) : engine.write(batch)),
    };
    const database = new Database({ store: failing, ...logged(createSimulatedFiles()) });
    database.recover(() => {});
    database.table("a").put(one, key(7));
    await database.record(key(7));
    const flushed = database.flush();
    database.table("a").put(one, key(8));
    await database.record(key(8));
    await flushed;
    expect(database.health.now).toEqual({ state: "healthy" });
    expect(engine.get(Uint8Array.of(1, 1))).toEqual(key(7));
    expect(database.table("a").get(one)).toEqual(key(8));
    await database.flush();
    expect(engine.get(Uint8Array.of(1, 1))).toEqual(key(8));
  });

  it("flushes once there are many bytes or many rows", async () => {
    for (const limits of [{ flushBytes: 1, flushRows: 99 }, { flushRows: 3 }]) {
      const parts = logged(createSimulatedFiles());
      const database = new Database({ store: createMemoryStore(), ...parts, ...limits });
      database.recover(() => {});
      for (const n of [1, 2, 3, 4]) database.table("a").put(key(n), key(n));
      await database.record(key(1));
      expect(database.flushes.begun).toBe(1);
      await database.close();
    }
  });

  it("detects that the beginning of the log is missing", async () => {
    const files = createSimulatedFiles();
    const { log, health } = logged(files);
    const database = new Database({ store: createMemoryStore(), log, health });
    database.recover(() => {});
    await database.record(key(1));
    const ended = await log.roll();
    await database.record(key(2));
    log.drop(ended);
    const reopened = new Database({ store: createMemoryStore(), ...logged(files) });
    expect(() => reopened.recover(() => {})).toThrow(expect.objectContaining({ code: "LOG_DAMAGED" }));
  });
});
