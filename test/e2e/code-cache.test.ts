import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));

it("caches the program's compiled code whatever the environment of the build", async () => {
  const cache = join(root, "node_modules", ".cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "kept-code-")); // inside the project, for its assets and packages
  try {
    const program = join(folder, "program.cjs");
    copyFileSync(join(root, "dist", "program.cjs"), program);
    await promisify(execFile)(process.execPath, [join(root, "scripts", "code-cache.mjs"), program], {
      env: { ...process.env, RPC_ENABLE: "0", KAIRN_CHAIN_ID: "none" },
    });
    expect(statSync(`${program}.cache`).size).toBeGreaterThan(100_000);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
