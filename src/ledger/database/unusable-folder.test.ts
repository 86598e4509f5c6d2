import { execFileSync } from "node:child_process";
import fs, { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { systemRuntime } from "../../platform/runtime/system.ts";
import type { Database } from "./database.ts";
import { openDatabase } from "./open-database.ts";
import { newFolder } from "./testing/folder.ts";

const open = (directory: string, isReadOnly = false): Promise<Database> =>
  openDatabase({ engine: "lmdb", directory, ...systemRuntime, isReadOnly });

/** What may stand in place of a file. */
const THINGS: Readonly<Record<string, (path: string) => void>> = {
  "a folder": (path) => mkdirSync(path),
  "a pipe": (path) => execFileSync("mkfifo", [path]),
  "a link that leads nowhere": (path) => symlinkSync(`${path}-none`, path),
  "a link to itself": (path) => symlinkSync(path, path),
  "a device": (path) => symlinkSync("/dev/zero", path),
};
const NAMES = [
  "store.mdb",
  "store.mdb-lock",
  "log-0000000001.v2",
  "log-0000000002.v2",
  "LOCK",
  "ACKNOWLEDGED",
];

describe.runIf(process.platform === "linux").each(Object.keys(THINGS))("%s", (thing) => {
  it.each(NAMES)("in place of %s is named, and nothing waits for it", async (name) => {
    const directory = newFolder();
    const database = await open(directory);
    database.recover(() => {});
    await database.record(Uint8Array.of(1));
    await database.abandon();
    const path = join(directory, name);
    rmSync(path, { force: true });
    THINGS[thing]?.(path);
    for (const isReadOnly of [false, true])
      await expect(open(directory, isReadOnly)).rejects.toMatchObject({
        code: "DATABASE_DAMAGED",
        message: expect.stringContaining(`${path} is not a regular file`),
      });
  });
});

describe("a folder that cannot be written", () => {
  it("is named, with the system's reason; nothing is left in it, and it can be used once there is space", async () => {
    const directory = newFolder();
    const { writeSync } = fs;
    const restore = (): void => {
      fs.writeSync = writeSync;
      syncBuiltinESMExports();
    };
    onTestFinished(restore);
    let left = 100_000;
    fs.writeSync = ((file: number, bytes: Uint8Array, at = 0) => {
      if (left === 0)
        throw Object.assign(new Error("ENOSPC: no space left"), { code: "ENOSPC", syscall: "write" });
      const written = writeSync(file, bytes, at, Math.min(left, bytes.length - (at ?? 0)));
      left -= written;
      return written;
    }) as typeof fs.writeSync;
    syncBuiltinESMExports();
    await expect(open(directory)).rejects.toMatchObject({
      code: "DATABASE_UNWRITABLE",
      message: `the data folder ${directory} cannot be used: ENOSPC: no space left`,
      details: { directory, code: "ENOSPC" },
    });
    expect(readdirSync(directory)).toEqual([]);
    restore();
    const database = await open(directory);
    database.recover(() => {});
    await database.record(Uint8Array.of(1));
    await database.close();
    expect(existsSync(join(directory, "store.mdb"))).toBe(true);
  });

  it("is named if it is a file", async () => {
    const path = join(newFolder(), "file");
    writeFileSync(path, "");
    await expect(open(path)).rejects.toMatchObject({
      code: "DATABASE_UNWRITABLE",
      message: expect.stringContaining(`the data folder ${path} cannot be used: EEXIST`),
    });
  });
});
