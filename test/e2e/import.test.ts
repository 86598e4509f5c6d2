import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const program = fileURLToPath(new URL("../../bin/kairn", import.meta.url));
const fixture = (name: string) =>
  fileURLToPath(new URL(`../fixtures/chains/all-types/${name}`, import.meta.url));
const { blocks } = JSON.parse(readFileSync(fixture("expect.json"), "utf8"));
const head = blocks.at(-1).number;

let folder: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "kairn-import-"));
  expect(await kairn("init", fixture("genesis.json"))).toMatchObject({ code: 0 });
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function start(command: string, ...args: string[]): ChildProcess {
  return spawn(process.execPath, [program, command, "--datadir", folder, ...args], {
    stdio: ["pipe", "pipe", "pipe"],
  });
}

async function ended(child: ChildProcess) {
  const text = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream]?.on("data", (chunk) => {
      text[stream] += chunk;
    });
  }
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  return { code, ...text };
}

function kairn(command: string, ...args: string[]) {
  return ended(start(command, ...args));
}

/** Imports the whole file again and checks that the chain is complete. @returns how many blocks already existed */
async function importTheRest(): Promise<number> {
  const { code, stdout } = await kairn("import", fixture("chain.rlp.gz"));
  expect(code).toBe(0);
  expect(stdout).toContain(`head is block ${head}`);
  return Number(/, (\d+) were there/.exec(stdout)?.[1] ?? 0);
}

/** Size of the log at which an import is in progress. */
const SOME_BLOCKS = 100_000;

/** Starts an import and sends a signal once some blocks are on disk. */
async function interruptedBy(signal: NodeJS.Signals) {
  const child = start("import", fixture("chain.rlp.gz"));
  const result = ended(child);
  while (child.exitCode === null && logSize() < SOME_BLOCKS) await new Promise((next) => setTimeout(next, 2));
  child.kill(signal);
  return result;
}

function logSize(): number {
  const data = join(folder, "chaindata");
  const logs = readdirSync(data).filter((name) => name.startsWith("log-"));
  return logs.reduce(
    (sum, name) => sum + (statSync(join(data, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}

describe("an import", () => {
  it("interrupted by Ctrl-C reports its position, and continues from there", async () => {
    const { code, stderr } = await interruptedBy("SIGINT");
    expect(code).toBe(130);
    const at = Number(/interrupted at block (\d+)/.exec(stderr)?.[1]);
    expect(at).toBeGreaterThan(0);
    expect(at).toBeLessThan(head);
    expect(await importTheRest()).toBe(at);
  });

  it("that is killed continues after the last block on disk", async () => {
    const { code } = await interruptedBy("SIGKILL");
    expect(code).toBeNull();
    const kept = await importTheRest();
    expect(kept).toBeGreaterThan(0);
    expect(kept).toBeLessThan(head);
  });

  it("of a damaged file names the block and keeps earlier ones", async () => {
    const bytes = gunzipSync(readFileSync(fixture("chain.rlp.gz")));
    const file = join(folder, "damaged.rlp");
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] as number) ^ 1;
    writeFileSync(file, bytes);
    const { code, stderr } = await kairn("import", file);
    expect(code).toBe(1);
    expect(stderr).toMatch(/kairn: .*damaged\.rlp, block \d+ \(0x[0-9a-f]{64}\), .*field /);
    expect(await importTheRest()).toBeGreaterThan(0);
  });

  it("of a truncated file names the last complete block", async () => {
    const bytes = gunzipSync(readFileSync(fixture("chain.rlp.gz")));
    const file = join(folder, "cut.rlp");
    writeFileSync(file, bytes.subarray(0, bytes.length >> 1));
    const { code, stderr } = await kairn("import", file);
    expect(code).toBe(1);
    const [, after] = /cut\.rlp, after block (\d+), byte \d+: stream ends within a block/.exec(stderr) ?? [];
    expect(await importTheRest()).toBe(Number(after));
  });

  it("of another chain's file names its first block", async () => {
    const { code, stderr } = await kairn("import", fixture("../bft4/chain.rlp.gz"));
    expect(code).toBe(1);
    expect(stderr).toMatch(/chain\.rlp\.gz, block 1 \(0x[0-9a-f]{64}\), field parentHash: unknown ancestor/);
  });
});
