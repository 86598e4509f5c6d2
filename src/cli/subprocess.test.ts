import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, it, onTestFinished, vi } from "vitest";
import { isSubprocess, parentTerminal, runInSubprocess } from "./subprocess.ts";

/** Runs a script in place of the check. */
function runCheckScript(
  script: string,
  streams = { stdout: new PassThrough().resume(), stderr: new PassThrough().resume() },
): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "kairn-apart-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const program = join(folder, "program.cjs");
  writeFileSync(program, script);
  const words = ["db", "check"];
  return runInSubprocess({ ...streams, program, words, folder: "/data", env: {}, isQuiet: false });
}

it.each(["SIGBUS", "SIGSEGV", "SIGABRT"])(
  "reports a check killed by %s as damage of the file",
  async (signal) => {
    await expect(runCheckScript(`process.kill(process.pid, "${signal}")`)).rejects.toMatchObject({
      code: "DATABASE_DAMAGED",
      message: `/data/chaindata/store.mdb is damaged: reading it ended the process (${signal})`,
    });
  },
);

it("forwards a signal to the subprocess, then raises it in this process", async () => {
  const kill = vi.spyOn(process, "kill").mockReturnValue(true);
  onTestFinished(() => kill.mockRestore());
  const before = process.listeners("SIGTERM");
  const ended = runCheckScript("setInterval(() => {}, 1000)");
  const added = process.listeners("SIGTERM").filter((listener) => !before.includes(listener));
  for (const end of added) (end as (name: string) => void)("SIGTERM");
  await expect(ended).rejects.toThrow("SIGTERM");
  expect(kill.mock.calls).toEqual([[process.pid, "SIGTERM"]]);
  expect(process.listeners("SIGTERM")).toEqual(before);
});

it("returns the exit code of the check", async () => {
  expect(await runCheckScript("process.exit(74)")).toBe(74);
});

it("passes on what the check writes, each stream to its own", async () => {
  const [stdout, stderr] = [new PassThrough().setEncoding("utf8"), new PassThrough().setEncoding("utf8")];
  await runCheckScript("process.stdout.write('found'); process.stderr.write('12 %')", { stdout, stderr });
  expect([stdout.read(), stderr.read()]).toEqual(["found", "12 %"]);
});

it.each([
  [{ isTTY: true, columns: 132 }, true, 132],
  [{}, undefined, undefined],
])("passes on the terminal properties %j", async (shape, isTTY, columns) => {
  const folder = mkdtempSync(join(tmpdir(), "kairn-apart-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const program = join(folder, "program.cjs");
  writeFileSync(program, "console.log(JSON.stringify([process.argv.slice(2), process.env]))");
  const stdout = new PassThrough().setEncoding("utf8");
  const stderr = Object.assign(new PassThrough().resume(), shape);
  const words = ["export", "blocks.rlp"];
  await runInSubprocess({ program, words, folder: "/data", env: {}, stdout, stderr, isQuiet: true });
  const [argv, env] = JSON.parse(stdout.read() as string) as [string[], Record<string, string>];
  expect(argv).toEqual(["export", "blocks.rlp", "--datadir", "/data", "--quiet"]);
  expect(isSubprocess(env)).toBe(true);
  const inner = parentTerminal(new PassThrough(), env);
  expect([inner.isTTY, inner.columns]).toEqual([isTTY, columns]);
});
