import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createFolder } from "./create-folder.ts";
import { recordDiskSteps } from "./testing/disk-steps.ts";

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), "kairn-folder-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

it("creates a folder and those above it for this user only, and leaves one that exists", () => {
  const folder = scratch();
  const path = join(folder, "a", "b", "c");
  for (let i = 0; i < 2; i++) createFolder(path);
  for (const each of ["a", "a/b", "a/b/c"]) expect(statSync(join(folder, each)).mode & 0o777).toBe(0o700);
  symlinkSync(path, join(folder, "link"));
  createFolder(join(folder, "link"));
});

it("syncs the folder above each new one, so that a power loss takes none of them", () => {
  const folder = scratch();
  const steps = recordDiskSteps();
  createFolder(join(folder, "a", "b"));
  createFolder(join(folder, "a", "b"));
  expect(steps).toEqual(["mkdir a", `sync ${basename(folder)}`, "mkdir b", "sync a"]);
});

it("names what is in the way", () => {
  const folder = scratch();
  writeFileSync(join(folder, "file"), "");
  expect(() => createFolder(join(folder, "file"))).toThrow(/EEXIST/);
  expect(() => createFolder(join(folder, "file", "below"))).toThrow(/ENOTDIR/);
  symlinkSync(join(folder, "nowhere"), join(folder, "dangling"));
  expect(() => createFolder(join(folder, "dangling"))).toThrow(/EEXIST/);
});

it.runIf(process.platform === "linux")("gives up where the file system has no room for folders", () => {
  for (const path of ["/proc/kairn", "/proc/kairn/chain"]) expect(() => createFolder(path)).toThrow(/ENOENT/);
});
