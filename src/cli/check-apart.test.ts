import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, it, onTestFinished } from "vitest";
import { checkApart } from "./check-apart.ts";

/** Runs a script in the place of the check. */
function checkBy(script: string): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "kairn-apart-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const program = join(folder, "program.cjs");
  writeFileSync(program, script);
  const [stdout, stderr] = [new PassThrough().resume(), new PassThrough().resume()];
  return checkApart({ ...{ program, folder: "/data", env: {}, argv: [] }, stdout, stderr } as never);
}

it.each(["SIGBUS", "SIGSEGV", "SIGABRT"])(
  "reports a check that %s ended as damage of the file",
  async (signal) => {
    await expect(checkBy(`process.kill(process.pid, "${signal}")`)).rejects.toMatchObject({
      code: "DATABASE_DAMAGED",
      message: `/data/chaindata/store.mdb is damaged: reading it ended the process (${signal})`,
    });
  },
);

it("hands over the exit code of a check that ends", async () => {
  expect(await checkBy("process.exit(74)")).toBe(74);
});
