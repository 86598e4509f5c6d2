import fs, {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { isOpenToOthers } from "../open-file.ts";
import { recordDiskSteps } from "../testing/disk-steps.ts";
import { systemFiles } from "./files.ts";

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "kairn-files-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
const bytes = (text: string) => new TextEncoder().encode(text);
const text = (path: string) => readFileSync(path, "utf8");
const modeOf = (path: string) => statSync(path).mode & 0o777;

describe("a file that only grows", () => {
  it("keeps what it has when it is opened again", async () => {
    const path = join(folder(), "log");
    for (const part of ["one ", "two"]) {
      const file = systemFiles.openAppend(path);
      await file.append(bytes(part));
      file.close();
    }
    expect(text(path)).toBe("one two");
  });

  it.skipIf(process.platform === "win32")(
    "is on disk with its name when a write is acknowledged",
    async () => {
      const here = folder();
      const steps = recordDiskSteps();
      const file = systemFiles.openAppend(join(here, "log"));
      await file.append(bytes("one"));
      expect(steps.splice(0)).toEqual([`sync ${basename(here)}`, "store log"]);
      await file.append(bytes("two"));
      file.close();
      expect(steps).toEqual(["store log"]);
    },
  );

  it.skipIf(process.platform === "win32")("is readable by its owner only, if asked for", () => {
    const [secret, open] = [join(folder(), "secret"), join(folder(), "open")];
    systemFiles.openAppend(secret, "owner").close();
    systemFiles.openAppend(open).close();
    const umask = process.umask();
    expect([modeOf(secret), modeOf(open)]).toEqual([0o600 & ~umask, 0o644 & ~umask]);
    expect([secret, open, join(folder(), "none")].map(isOpenToOthers)).toEqual([
      false,
      (0o044 & ~umask) > 0,
      false,
    ]);
  });

  it.skipIf(process.platform === "win32")("is no link and no folder", () => {
    const here = folder();
    const [target, link] = [join(here, "target"), join(here, "link")];
    writeFileSync(target, "kept");
    symlinkSync(target, link);
    for (const path of [link, here])
      expect(() => systemFiles.openAppend(path)).toThrow(expect.objectContaining({ code: "FILE_KIND" }));
    expect(text(target)).toBe("kept");
  });
});

describe("files", () => {
  it("are replaced as a whole, and leave no draft behind", async () => {
    const here = folder();
    const path = join(here, "a");
    await systemFiles.replace(path, bytes("long text"));
    await systemFiles.replace(path, bytes("new"));
    expect([text(path), systemFiles.list(here)]).toEqual(["new", ["a"]]);
    if (process.platform !== "win32") expect(modeOf(path)).toBe(0o644 & ~process.umask());
    expect(new TextDecoder().decode(systemFiles.read(path))).toBe("new");
  });

  it.skipIf(process.platform === "win32")(
    "are synced before they replace others, and their folder after it",
    async () => {
      const here = folder();
      const steps = recordDiskSteps();
      await systemFiles.replace(join(here, "a"), bytes("new"));
      expect(steps).toEqual(["write a.new", "sync a.new", "rename a", `sync ${basename(here)}`]);
    },
  );

  it.skipIf(process.platform === "win32")("are synced when truncated, and their folder when renamed", () => {
    const here = folder();
    const [a, b] = [join(here, "a"), join(here, "b")];
    writeFileSync(a, "0123456789");
    const steps = recordDiskSteps();
    systemFiles.truncate(a, 4);
    systemFiles.rename(a, b);
    expect(steps).toEqual(["sync a", "rename b", `sync ${basename(here)}`]);
  });

  it("are truncated, renamed and removed", () => {
    const here = folder();
    const [a, b] = [join(here, "a"), join(here, "b")];
    writeFileSync(a, "0123456789");
    writeFileSync(b, "other");
    systemFiles.truncate(a, 4);
    systemFiles.rename(a, b);
    expect([systemFiles.exists(a), text(b)]).toEqual([false, "0123"]);
    for (let times = 0; times < 2; times++) systemFiles.remove(b);
    expect(systemFiles.list(here)).toEqual([]);
  });

  it.runIf(process.platform === "linux")("leave no descriptor open", async () => {
    const here = folder();
    const [a, b] = [join(here, "a"), join(here, "b")];
    const open = () => readdirSync("/proc/self/fd").length;
    const before = open();
    for (let i = 0; i < 40; i++) {
      await systemFiles.replace(a, bytes("text"));
      systemFiles.truncate(a, 2);
      systemFiles.rename(a, b);
      const file = systemFiles.openAppend(b);
      await file.append(bytes("more"));
      file.close();
      const journal = systemFiles.openRewritable(join(here, "journal"));
      await journal.replace(bytes("text"));
      journal.close();
    }
    expect(open()).toBeLessThan(before + 20);
  });

  it("are in folders that are read-only only on a read-only file system", () => {
    expect([folder(), join(folder(), "none")].map(systemFiles.isReadOnly)).toEqual([false, false]);
    const { accessSync } = fs;
    onTestFinished(() => {
      fs.accessSync = accessSync;
      syncBuiltinESMExports();
    });
    const refused = ["EROFS", "EACCES"].map((code) => {
      fs.accessSync = () => {
        throw Object.assign(new Error(code), { code });
      };
      syncBuiltinESMExports();
      return systemFiles.isReadOnly("folder");
    });
    expect(refused).toEqual([true, false]);
  });
});
