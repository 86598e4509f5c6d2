import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createSimulatedRuntime } from "./simulated.ts";
import { systemFiles } from "./system/files.ts";
import { lockFile } from "./system/lock-file.ts";

describe("simulated runtime", () => {
  it("runs due calls by time, then in order of scheduling, and no others", async () => {
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

  it("is held by one owner at a time and leaves nothing behind", async () => {
    const path = join(folder, "LOCK");
    const { release, isThere } = await systemFiles.lock(path);
    const refused = expect.objectContaining({ code: "LOCK_HELD", details: { path, processId: process.pid } });
    await expect(systemFiles.lock(path)).rejects.toThrow(refused);
    expect(isThere()).toBe(true);
    release();
    (await systemFiles.lock(path)).release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it("is given to one of many concurrent callers", async () => {
    const path = join(folder, "LOCK");
    const asked = await Promise.allSettled(Array.from({ length: 5 }, () => systemFiles.lock(path)));
    const taken = asked.filter(({ status }) => status === "fulfilled");
    expect(taken).toHaveLength(1);
  });

  it.skipIf(process.platform === "win32")("is held by an owner that is suspended", async () => {
    const path = join(folder, "LOCK");
    const sockets: Socket[] = [];
    const server = createServer((socket) => sockets.push(socket));
    await new Promise<void>((resolve) => void server.listen(`${path}-0`, resolve));
    const refused = { code: "LOCK_HELD", message: `process of another machine is using ${path}` };
    await expect(systemFiles.lock(path)).rejects.toMatchObject(refused);
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
    (await systemFiles.lock(path)).release();
  });

  it.skipIf(process.platform === "win32")("is held by an owner that says so, whatever its name", async () => {
    const path = join(folder, "LOCK");
    const server = createServer((socket) => socket.end("held 4711"));
    // sorts after all names that a lock can get
    await new Promise<void>((resolve) => void server.listen(`${path}-z`, resolve));
    const refused = { code: "LOCK_HELD", details: { path, processId: 4711 } };
    await expect(systemFiles.lock(path)).rejects.toMatchObject(refused);
    await new Promise((resolve) => server.close(resolve));
  });

  it("is taken over from a socket without a listener, as left by a killed process or a copied folder", async () => {
    const path = join(folder, "LOCK");
    const listen = `require("net").createServer().listen(${JSON.stringify(`${path}-0`)}, () => process.kill(process.pid, "SIGKILL"))`;
    spawnSync(process.execPath, ["-e", listen]);
    expect(readdirSync(folder)).toEqual(["LOCK-0"]);
    const { release } = await systemFiles.lock(path);
    expect(readdirSync(folder)).toHaveLength(1);
    release();
  });

  it("removes the stale draft of a dead process, but no recent one", async () => {
    const path = join(folder, "LOCK");
    for (const name of ["LOCK-0.new", "LOCK-1.new"]) writeFileSync(join(folder, name), "");
    const minutesAgo = Date.now() / 1000 - 120;
    utimesSync(join(folder, "LOCK-0.new"), minutesAgo, minutesAgo);
    const { release } = await systemFiles.lock(path);
    release();
    expect(readdirSync(folder)).toEqual(["LOCK-1.new"]);
  });

  it("is lost when its folder is removed", async () => {
    const inner = join(folder, "inner");
    mkdirSync(inner);
    const { release, isThere } = await systemFiles.lock(join(inner, "LOCK"));
    rmSync(inner, { recursive: true });
    expect(isThere()).toBe(false);
    release();
  });

  it("of an earlier version is respected while its process lives", async () => {
    const path = join(folder, "LOCK");
    lockFile(path);
    await expect(systemFiles.lock(path)).rejects.toThrow(expect.objectContaining({ code: "LOCK_HELD" }));
  });

  it("is taken over from a dead process", async () => {
    const path = join(folder, "LOCK");
    const { pid } = spawnSync(process.execPath, ["-e", ""]);
    writeFileSync(path, `${pid} \n`);
    (await systemFiles.lock(path)).release();
  });

  it.runIf(process.platform === "linux")(
    "is taken over when the process id was given to another process",
    async () => {
      const path = join(folder, "LOCK");
      writeFileSync(path, `${process.pid} another-boot 1\n`);
      (await systemFiles.lock(path)).release();
    },
  );
});

describe("system files", () => {
  it("append to existing content, and truncate", async () => {
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
