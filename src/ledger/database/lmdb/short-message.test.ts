import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const CHILD = fileURLToPath(new URL("../testing/failing-write-child.ts", import.meta.url));
const hasLimits = spawnSync("prlimit", ["--version"]).status === 0;

it.runIf(hasLimits)(
  "LMDB's message for a failed write has none of the numbers that exceed its buffer",
  () => {
    const folder = mkdtempSync(join(tmpdir(), "kairn-message-"));
    try {
      const args = ["--import", "tsx", CHILD, join(folder, "store.mdb")];
      const printed = execFileSync(process.execPath, args, { encoding: "utf8", stdio: "pipe" });
      expect(printed).toMatch(
        /^File too large: Attempting to write page at position \d+, size \d+, blocks \d+\n$/,
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);
