import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { runKairn, startKairn } from "./kairn-process.ts";
import { temporaryFolder } from "./started-node.ts";

const FLAGS = ["--rpcport", "0", "--wsport", "0", "--ipcdisable"];

/** The folder of a development chain whose node was killed, so that all blocks are in its log. */
async function killedFolder(): Promise<{ readonly folder: string; readonly segment: string }> {
  const folder = temporaryFolder();
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const node = startKairn(["dev", "--datadir", folder, "--block-time", "0.05", ...FLAGS]);
  await node.firstLine();
  const chaindata = join(folder, "chaindata");
  const segment = (): string | undefined =>
    readdirSync(chaindata)
      .filter((name) => name.startsWith("log-") && statSync(join(chaindata, name)).size > 8192)
      .map((name) => join(chaindata, name))[0];
  while (segment() === undefined) await new Promise((resolve) => setTimeout(resolve, 50));
  node.child.kill("SIGKILL");
  await node.exited;
  return { folder, segment: segment() as string };
}

/** A node that starts and stops as it should. @returns what it logged */
async function startAndStop(folder: string): Promise<string> {
  const node = startKairn(["dev", "--datadir", folder, ...FLAGS]);
  await node.firstLine();
  node.child.kill("SIGTERM");
  expect(await node.exited).toBe(0);
  return node.printed.stderr;
}

function flip(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] as number) ^ 0x10;
  writeFileSync(path, bytes);
}

it("refuses a damaged log with exit code 74, and starts after its repair", async () => {
  const { folder, segment } = await killedFolder();
  const kairn = (...args: string[]) => runKairn([...args, "--datadir", folder]);
  flip(segment, 4000);
  for (const command of [
    ["dev", ...FLAGS],
    ["db", "check"],
  ]) {
    const { code, stderr } = await kairn(...command);
    expect(code).toBe(74);
    expect(stderr).toContain(`${segment} is damaged at byte `);
  }
  const repaired = await kairn("db", "repair");
  expect(repaired).toMatchObject({ code: 0 });
  expect(repaired.stdout).toMatch(
    /kept aside: .*damaged-log-.*\nlost: the damaged part, and blocks \d+ to \d+/,
  );
  expect((await kairn("db", "check")).code).toBe(0);
  expect((await kairn("db", "repair")).stdout).toContain("nothing to repair");
}, 60_000);

it("names an unreadable database, with exit code 74", async () => {
  const { folder } = await killedFolder();
  const kairn = (...args: string[]) => runKairn([...args, "--datadir", folder]);
  await startAndStop(folder); // which moves everything to the database
  const store = join(folder, "chaindata", "store.mdb");
  const bytes = readFileSync(store);
  writeFileSync(store, bytes.fill(0x5a, 8192));
  for (const command of [
    ["dev", ...FLAGS],
    ["db", "check"],
  ]) {
    const { code, stderr } = await kairn(...command);
    expect(stderr).toContain(store);
    expect(code).toBe(74);
  }
}, 60_000);

it("names the page that would crash the process, with exit code 74, before LMDB reads it", async () => {
  const { folder } = await killedFolder();
  const kairn = (...args: string[]) => runKairn([...args, "--datadir", folder]);
  await startAndStop(folder);
  const whole = await kairn("db", "check");
  expect(whole).toMatchObject({ code: 0, stdout: expect.stringMatching(/^rows: .*body \d+/m) });
  const store = join(folder, "chaindata", "store.mdb");
  const bytes = readFileSync(store);
  const newest = bytes.readBigUInt64LE(152) > bytes.readBigUInt64LE(4096 + 152) ? 0 : 4096;
  const root = Number(bytes.readBigUInt64LE(newest + 136));
  bytes.writeUInt16LE(0xfff0, root * 4096 + 24); // offset of its first key
  writeFileSync(store, bytes);
  for (const command of [
    ["dev", ...FLAGS],
    ["db", "check"],
  ]) {
    const { code, stderr } = await kairn(...command);
    expect(stderr).toContain(`${store} is damaged: page ${root} has a key beyond its bounds`);
    expect(code).toBe(74);
  }
}, 60_000);

it("refuses a log whose file is gone with exit code 74, and starts after its repair", async () => {
  const { folder, segment } = await killedFolder();
  const kairn = (...args: string[]) => runKairn([...args, "--datadir", folder]);
  rmSync(segment);
  for (const command of [
    ["dev", ...FLAGS],
    ["db", "check"],
  ])
    expect(await kairn(...command)).toMatchObject({
      code: 74,
      stderr: expect.stringContaining(`${segment} is missing`),
    });
  const repaired = await kairn("db", "repair");
  expect(repaired.stdout).toContain("lost: what was in the missing part");
  await startAndStop(folder);
}, 60_000);

it("reads a log with a torn end as it is, and says so, until a node cuts it", async () => {
  const { folder, segment } = await killedFolder();
  const kairn = (...args: string[]) => runKairn([...args, "--datadir", folder]);
  const before = readFileSync(segment);
  const torn = before.subarray(0, before.length - 7);
  writeFileSync(segment, torn);
  expect(await kairn("db", "check")).toMatchObject({
    code: 74,
    stderr: expect.stringMatching(/log-0000000001.v2 ends with record \d+, but record \d+ was acknowledged/),
  });
  rmSync(join(folder, "chaindata", "ACKNOWLEDGED")); // as a power loss leaves it
  for (const command of [
    ["db", "check"],
    ["db", "stats"],
    ["export", join(folder, "blocks.rlp")],
  ]) {
    const { code, stderr } = await kairn(...command);
    expect(stderr).toMatch(
      /warning: the last \d+ bytes of .*log-0000000001.v2 are of a write that was not ended/,
    );
    expect(code).toBe(0);
    expect(readFileSync(segment)).toEqual(torn);
  }
  expect((await kairn("db", "check")).stdout).toMatch(/^log: \d+ records .*, [\d,]+ bytes of a torn write/m);
  expect(await startAndStop(folder)).toMatch(
    /WARN .*cut off the end of the log.* file=.*log-0000000001.v2 bytes=\d+/,
  );
}, 60_000);
