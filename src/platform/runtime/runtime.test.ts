import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createSimulatedRuntime } from "./simulated.ts";
import { systemFiles } from "./system-files.ts";

describe("simulated runtime", () => {
  it("calls what falls due in order of time, then of scheduling, and nothing else", async () => {
    const { timers, clock, advance } = createSimulatedRuntime({ startMs: 1000 });
    const calls: [string, number][] = [];
    const note = (name: string) => () => void calls.push([name, clock.now()]);
    timers.schedule(50, note("late"));
    timers.schedule(10, note("first"));
    timers.schedule(10, note("second"));
    timers.schedule(20, note("never"))();
    await advance(49);
    expect(calls).toEqual([
      ["first", 1010],
      ["second", 1010],
    ]);
    expect(clock.now()).toBe(1049);
  });

  it("runs a call that another call schedules within the same advance", async () => {
    const runtime = createSimulatedRuntime();
    const times: number[] = [];
    const tick = () => {
      times.push(runtime.clock.now());
      runtime.timers.schedule(5, tick);
    };
    tick();
    await runtime.advance(12);
    expect(times).toEqual([0, 5, 10]);
  });

  it("repeats its randomness for equal seeds", () => {
    const bytes = (seed: number) => createSimulatedRuntime({ seed }).randomness.bytes(32);
    expect(bytes(3)).toEqual(bytes(3));
    expect(bytes(3)).not.toEqual(bytes(4));
  });
});

describe("lock file", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "kairn-lock-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it("is held by one owner at a time and leaves nothing behind", () => {
    const path = join(folder, "LOCK");
    const release = systemFiles.lock(path);
    expect(() => systemFiles.lock(path)).toThrow(expect.objectContaining({ code: "LOCK_HELD" }));
    release();
    systemFiles.lock(path)();
    expect(readdirSync(folder)).toEqual([]);
  });

  it("is taken over from a dead process", () => {
    const path = join(folder, "LOCK");
    const { pid } = spawnSync(process.execPath, ["-e", ""]);
    writeFileSync(path, `${pid} \n`);
    systemFiles.lock(path)();
  });

  it.runIf(process.platform === "linux")(
    "is taken over when the process id was given to another process",
    () => {
      const path = join(folder, "LOCK");
      writeFileSync(path, `${process.pid} another-boot 1\n`);
      systemFiles.lock(path)();
    },
  );
});

describe("system files", () => {
  it("append what was written after what was there, and cut", async () => {
    const folder = mkdtempSync(join(tmpdir(), "kairn-files-"));
    const path = join(folder, "log");
    for (const part of ["ab", "cd"]) {
      const file = systemFiles.openAppend(path);
      await file.append(Buffer.from(part));
      file.close();
    }
    systemFiles.truncate(path, 3);
    expect(Buffer.from(systemFiles.read(path)).toString()).toBe("abc");
    rmSync(folder, { recursive: true });
  });
});
