import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it, vi } from "vitest";
import { passwordIn, warnOfReadablePassword } from "./password-file.ts";

const folder = mkdtempSync(join(tmpdir(), "kairn-password-"));
afterAll(() => rmSync(folder, { recursive: true }));

it.skipIf(process.platform === "win32")(
  "warns about a password file that others may read, and names it",
  () => {
    const file = join(folder, "password");
    writeFileSync(file, "hunter2");
    const warned = (mode: number): unknown[][] => {
      const warn = vi.fn();
      chmodSync(file, mode);
      warnOfReadablePassword(file, { warn });
      return warn.mock.calls;
    };
    for (const mode of [0o600, 0o400]) expect(warned(mode)).toEqual([]);
    for (const mode of [0o640, 0o604, 0o602, 0o444]) {
      expect(warned(mode)).toEqual([
        ["others may read the password of the database", expect.objectContaining({ file })],
      ]);
      expect(JSON.stringify(warned(mode))).not.toContain("hunter2");
    }
  },
);

it("does not warn about a missing file, which fails when it is read", () => {
  const warn = vi.fn();
  warnOfReadablePassword(join(folder, "absent"), { warn });
  expect(warn).not.toHaveBeenCalled();
});

it.each([
  ["hunter2\n", "hunter2"],
  ["hunter 2 \r\nsecond line\n", "hunter 2 "],
  ["hunter2", "hunter2"],
  ["", ""],
])("takes the first line of %j", (text, password) => {
  expect(passwordIn(text)).toBe(password);
});
