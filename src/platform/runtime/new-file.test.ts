import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { writeNewFile } from "./new-file.ts";
import { recordDiskSteps } from "./testing/disk-steps.ts";

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), "kairn-new-file-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

it("syncs a new file before it has its name, and the name afterwards", () => {
  const folder = scratch();
  const path = join(folder, "key");
  writeFileSync(`${path}.new`, "half of an earlier at");
  const steps = recordDiskSteps();
  writeNewFile(path, "text", 0o600);
  expect(steps).toEqual(["write key.new", "sync key.new", "rename key", `sync ${basename(folder)}`]);
  expect(readFileSync(path, "utf8")).toBe("text");
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

it("leaves a file that exists, and nothing where it fails", () => {
  const folder = scratch();
  const path = join(folder, "key");
  writeFileSync(path, "first");
  expect(() => writeNewFile(path, "second")).toThrow(expect.objectContaining({ code: "EEXIST" }));
  expect(readFileSync(path, "utf8")).toBe("first");
  expect(() => writeNewFile(join(folder, "none", "key"), "text")).toThrow(/ENOENT/);
  expect(readdirSync(folder)).toEqual(["key"]);
  expect(existsSync(join(folder, "none"))).toBe(false);
});
