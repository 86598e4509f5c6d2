import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { DumpFolder, NEW_FILE, wholeOrNone, writeNew } from "./dump-folder.ts";

const root = mkdtempSync(join(tmpdir(), "kairn-dump-test-"));
afterAll(() => rmSync(root, { recursive: true }));
const folder = join(root, "dumps");
const dumps = new DumpFolder(folder);

it("creates its folder and files for their owner only", async () => {
  const path = dumps.place("heap.heapsnapshot");
  await writeNew(path, "x");
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(dumps.find("heap.heapsnapshot", false)).toBe(path);
  expect(dumps.find(path, false)).toBe(path);
});

it.each([
  ...[".", "..", ".profile", "../x", "a/b", "a\\b", "/etc/passwd", "/tmp/x", "a\0b", "a\nb", "x y"],
  ...["é", "a".repeat(129), "C:x", `${root}/x`, `${folder}/../x`, `${folder}/`, `${folder}//x`],
])("accepts no other place: %j", (name) => {
  expect(() => dumps.place(name)).toThrow("bare name");
  expect(() => dumps.find(name, false)).toThrow("no such file");
});

it("finds no file without a name", () => {
  expect(() => dumps.place("")).toThrow("open : no such file or directory");
  expect(() => dumps.find("", true)).toThrow("no such file");
});

it("overwrites nothing, and follows no link", async () => {
  const target = join(root, "target");
  symlinkSync(target, join(folder, "link"));
  expect(() => dumps.place("link")).toThrow("would overwrite");
  await expect(writeNew(join(folder, "link"), "x")).rejects.toThrow("EEXIST");
  expect(existsSync(target)).toBe(false);
  expect(() => dumps.find("link", false)).toThrow("no such file");
  writeFileSync(join(folder, "there"), "old");
  expect(() => dumps.place("there")).toThrow("would overwrite");
  expect(readFileSync(join(folder, "there"), "utf8")).toBe("old");
});

it("replaces only the caller's own last file", () => {
  const [own, other] = [join(folder, "own"), join(folder, "other")];
  writeFileSync(own, "old");
  writeFileSync(other, "old");
  expect(() => dumps.place("other", own)).toThrow("would overwrite");
  expect(dumps.place("own", own)).toBe(own);
  expect(existsSync(own)).toBe(false);
  symlinkSync(other, own);
  expect(() => dumps.place("own", own)).toThrow("would overwrite");
  expect(readFileSync(other, "utf8")).toBe("old");
});

it("reads files in subfolders by absolute path, and follows no link", () => {
  const below = join(folder, "below");
  mkdirSync(below);
  writeFileSync(join(below, "block"), "0x00");
  expect(dumps.find(join(below, "block"), false)).toBe(join(below, "block"));
  symlinkSync(root, join(folder, "up"));
  writeFileSync(join(root, "outside"), "x");
  for (const name of [
    "below/block",
    join(folder, "up", "outside"),
    `${below}/../below/block`,
    `${folder}x/y`,
  ])
    expect(() => dumps.find(name, false)).toThrow("no such file");
  expect(() => dumps.place(join(below, "new"))).toThrow("bare name");
});

it("reads regular files elsewhere if allowed", () => {
  writeFileSync(join(root, "block"), "0x00");
  expect(dumps.find(join(root, "block"), true)).toBe(join(root, "block"));
  expect(() => dumps.find("/dev/zero", true)).toThrow("no such file");
  expect(() => dumps.find(root, true)).toThrow("no such file");
});

it("rejects a folder that is a link", () => {
  symlinkSync(root, join(root, "elsewhere"));
  expect(() => new DumpFolder(join(root, "elsewhere")).place("x")).toThrow("not a folder");
});

it("leaves no part of a file that cannot be written to its end, and none that was there before", async () => {
  const path = dumps.place("part");
  const full = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  const writing = async (): Promise<void> => {
    writeFileSync(path, "p", NEW_FILE);
    throw full;
  };
  await expect(wholeOrNone(path, writing())).rejects.toBe(full);
  expect(existsSync(path)).toBe(false);
  await writeNew(dumps.place("part"), "whole");
  await expect(writeNew(path, "other")).rejects.toThrow("EEXIST");
  expect(readFileSync(path, "utf8")).toBe("whole");
});
