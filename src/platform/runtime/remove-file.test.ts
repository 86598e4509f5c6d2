import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { removeFile } from "./remove-file.ts";

it("removes a file, accepts that there is none, and reports everything else", () => {
  const folder = mkdtempSync(join(tmpdir(), "kairn-remove-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "file");
  writeFileSync(path, "");
  removeFile(path);
  expect(existsSync(path)).toBe(false);
  removeFile(path);
  expect(() => removeFile(folder)).toThrow(/EISDIR|EPERM/);
});
