import fs, { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { lockFile } from "./lock-file.ts";
import { takeLock } from "./lock-socket.ts";

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "kairn-lock-file-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Until the test ends, a call of the file system fails. */
function failing(call: "linkSync" | "writeFileSync", code: string): void {
  const before = fs[call];
  onTestFinished(() => {
    Object.assign(fs, { [call]: before });
    syncBuiltinESMExports();
  });
  const fail = (): never => {
    throw Object.assign(new Error(`${code}: ${call}`), { code });
  };
  Object.assign(fs, { [call]: fail });
  syncBuiltinESMExports();
}

it.each(["", "nonsense\n", "0 mark\n", "-1 mark\n", "1.5 mark\n", `${2 ** 30} mark\n`])(
  "is taken over from a file that names no living process: %j",
  (content) => {
    const here = folder();
    const path = join(here, "LOCK");
    writeFileSync(path, content);
    const release = lockFile(path);
    expect(readFileSync(path, "utf8")).toMatch(new RegExp(`^${process.pid} `));
    release();
    expect(readdirSync(here)).toEqual([]);
  },
);

it.runIf(process.platform === "linux")("is held by a living process, even the first of a container", () => {
  const path = join(folder(), "LOCK");
  const boot = readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
  // the name of the process is in parentheses; its start time is the 22nd field
  const started = readFileSync("/proc/1/stat", "latin1")
    .replace(/^.*\) /s, "")
    .split(" ")[19];
  writeFileSync(path, `1 ${boot} ${started}\n`);
  const held = { code: "LOCK_HELD", details: { path, processId: 1 } };
  expect(() => lockFile(path)).toThrow(expect.objectContaining(held));
  writeFileSync(path, `1 ${boot} ${started}0\n`);
  lockFile(path)();
});

it("leaves another's lock alone when it is released", () => {
  const path = join(folder(), "LOCK");
  const release = lockFile(path);
  writeFileSync(path, "another's");
  release();
  expect(readFileSync(path, "utf8")).toBe("another's");
});

it("works on a file system without hard links", () => {
  failing("linkSync", "EPERM");
  const here = folder();
  const path = join(here, "LOCK");
  const release = lockFile(path);
  expect(readFileSync(path, "utf8")).toMatch(new RegExp(`^${process.pid} `));
  expect(() => lockFile(path)).toThrow(expect.objectContaining({ code: "LOCK_HELD" }));
  release();
  expect(readdirSync(here)).toEqual([]);
});

it("leaves nothing behind on a full disk", () => {
  const here = folder();
  failing("writeFileSync", "ENOSPC");
  expect(() => lockFile(join(here, "LOCK"))).toThrow("ENOSPC");
  expect(readdirSync(here)).toEqual([]);
});

it.skipIf(process.platform === "win32")("is not needed on a full disk that has sockets", async () => {
  const here = folder();
  writeFileSync(join(here, "LOCK"), "0 mark\n");
  failing("writeFileSync", "ENOSPC");
  const { release } = await takeLock(join(here, "LOCK"));
  expect(readdirSync(here)).toEqual([expect.stringMatching(/^LOCK-[0-9a-f]{12}$/)]);
  release();
});
