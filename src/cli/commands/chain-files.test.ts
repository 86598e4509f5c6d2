import { execFileSync, spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { Blockchain } from "../../ledger/chain/blockchain.ts";
import { BlockImporter } from "../../ledger/chain/import/importer.ts";
import { keccak256 } from "../../protocol/crypto/keccak.ts";
import { hexToBytes } from "../../protocol/primitives/hex.ts";
import { type Finished, kairn, newFolder, startKairn } from "../testing/kairn.ts";
// preloaded, so that no test waits for them
import "./backup.ts";
import "./db.ts";
import "./export.ts";
import "./import.ts";
import "./init.ts";

const recorded = fileURLToPath(new URL("../../../test/fixtures/chains/bft4/", import.meta.url));
const genesisFile = join(recorded, "genesis.json");
const chainFile = join(recorded, "chain.rlp.gz");
const blocks = gunzipSync(readFileSync(chainFile));
const expected = JSON.parse(readFileSync(join(recorded, "expect.json"), "utf8"));
const genesis = expected.blocks[0];
const head = expected.blocks.at(-1);

/** A data folder with the recorded chain, imported once; each test has a copy. */
let base: string;
let imported: Finished;
beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), "kairn-chain-files-"));
  expect(await kairn(["init", "--datadir", base, genesisFile])).toEqual({
    ...{ code: 0, stderr: "" },
    stdout: `genesis ${genesis.hash} in ${base}\n`,
  });
  imported = await kairn(["import", "--quiet", "--datadir", base, chainFile]);
});
afterAll(() => rmSync(base, { recursive: true }));

const percentOf = (fraction: number): string => (100 * fraction).toFixed(1);

function copied() {
  const folder = newFolder();
  const data = join(folder, "data");
  cpSync(base, data, { recursive: true });
  const run = (word: string, ...args: string[]) => kairn([word, "--datadir", data, ...args]);
  return { folder, data, run };
}

describe("a chain in files", () => {
  it("is imported once, and reported with its head", async () => {
    const { number } = head;
    expect(imported).toMatchObject({ code: 0, stderr: "" });
    expect(imported.stdout).toMatch(
      new RegExp(
        `^${chainFile}: ${number} blocks and ${expected.totalTransactions} transactions imported; head is block ` +
          `${number} \\([\\d,]+ transactions/s\\)\n$`,
      ),
    );
    expect((await copied().run("import", chainFile)).stdout).toContain(
      `: 0 blocks and 0 transactions imported, ${number} were there; head is block ${number} (0 tran`,
    );
  });

  it.each([
    [4000, 1 / 4],
    [0, 1000],
  ])("are imported within %d ms at a finite rate", async (duration, perSecond) => {
    const data = join(newFolder(), "data");
    await kairn(["init", "--datadir", data, genesisFile]);
    let now = 2_000_000_000_000;
    vi.spyOn(Date, "now").mockImplementation(() => now);
    const { importAll } = BlockImporter.prototype;
    vi.spyOn(BlockImporter.prototype, "importAll").mockImplementation(async function (
      this: BlockImporter,
      ...args
    ) {
      const imported = await importAll.apply(this, args);
      now += duration;
      return imported;
    });
    const rate = Math.round(expected.totalTransactions * perSecond).toLocaleString("en-US");
    expect((await kairn(["import", "--quiet", "--datadir", data, chainFile])).stdout).toContain(
      ` (${rate} transactions/s)`,
    );
  });

  it("resumes an import that a signal interrupted", async () => {
    const data = join(newFolder(), "data");
    await kairn(["init", "--datadir", data, genesisFile]);
    const running = startKairn(["import", "--quiet", "--datadir", data, chainFile]);
    let code: number | undefined;
    void running.ended.then((ended) => (code = ended));
    while (code === undefined) {
      running.signal("SIGINT");
      await new Promise(setImmediate);
    }
    expect(code).toBe(130);
    expect(running.printed.stderr).toMatch(/^kairn: interrupted at block \d+; run it again to continue\n$/);
    const rest = await kairn(["import", "--quiet", "--datadir", data, chainFile]);
    expect(rest.stdout).toContain(`; head is block ${head.number} (`);
  });

  it("reports where a file is invalid, and keeps the blocks before", async () => {
    const { folder, data, run } = copied();
    const files = ["damaged.rlp", "cut.rlp"].map((name) => join(folder, name));
    const bytes = Uint8Array.from(blocks);
    const place = blocks.length >> 4;
    bytes[place] = (bytes[place] as number) ^ 1;
    writeFileSync(files[0] as string, bytes);
    writeFileSync(files[1] as string, blocks.subarray(0, place));
    rmSync(data, { recursive: true });
    await run("init", genesisFile);
    const { code, stderr } = await run("import", files[0] as string);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^kairn: .*damaged\.rlp, block \d+ \(0x[0-9a-f]{64}\), [^\n]+\n$/);
    expect((await run("import", files[1] as string)).stderr).toMatch(
      /cut\.rlp, after block [1-9]\d*, byte \d+: stream ends within a block\n$/,
    );
  });

  it.runIf(process.platform === "linux")("is exported to a pipe that is read, and to no other", async () => {
    const { folder, run } = copied();
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    const unread = await run("export", "--quiet", pipe);
    expect(unread).toMatchObject({ code: 1, stderr: expect.stringMatching(/^kairn: ENXIO.*pipe'\n$/) });
    const reader = spawn("cat", [pipe], { stdio: ["ignore", "pipe", "ignore"] });
    const read = buffer(reader.stdout);
    while ((await run("export", "--quiet", pipe, "1")).code !== 0);
    expect((await read).equals(blocks)).toBe(true);
  });

  it("is exported byte for byte, whole or in part", async () => {
    const { folder, run } = copied();
    const file = join(folder, "out.rlp");
    expect((await run("export", file, "1")).stdout).toBe(`blocks 1 to ${head.number} written to ${file}\n`);
    expect(readFileSync(file).equals(blocks)).toBe(true);
    expect((await run("export", file)).stdout).toBe(`blocks 0 to ${head.number} written to ${file}\n`);
    expect(readFileSync(file).subarray(-blocks.length).equals(blocks)).toBe(true);
    expect((await run("export", file, "2", "3")).stdout).toBe(`blocks 2 to 3 written to ${file}\n`);
    expect(blocks.includes(readFileSync(file))).toBe(true);
    for (const args of [[file, "x"], [file, "1", "-2"], [], [file, "1", "2", "3"]])
      expect((await run("export", ...args)).code).toBe(2);
    const nowhere = await run("export", "--quiet", join(folder, "none", "out.rlp"));
    expect([nowhere.code, nowhere.stderr]).toEqual([expect.any(Number), expect.stringContaining("ENOENT")]);
    expect(nowhere.stderr).not.toContain("damaged");
  });

  it("reports a block that is missing between others as damage of the database", async () => {
    const { folder, data, run } = copied();
    const { block } = Blockchain.prototype;
    let missing = 3n;
    vi.spyOn(Blockchain.prototype, "block").mockImplementation(function (this: Blockchain, number) {
      return number === missing ? undefined : block.call(this, number);
    });
    const file = join(folder, "out.rlp");
    const damaged = `kairn: ${join(data, "chaindata", "store.mdb")} is damaged: export failed on #3: not found\n`;
    expect(await run("export", "--quiet", file, "1")).toEqual({ code: 74, stdout: "", stderr: damaged });
    expect(await run("export", "--quiet", file, "3")).toMatchObject({ code: 1, stdout: "" });
    missing = BigInt(head.number);
    expect((await run("export", "--quiet", file, "1")).code).toBe(74);
    expect((await run("export", "--quiet", file, "1", `${head.number + 1}`)).code).toBe(1);
  });

  it.each([
    ["init", []],
    ["init", ["--mainnet", genesisFile]],
    ["init", [genesisFile, "more"]],
    ["import", []],
    ["backup", []],
    ["backup", ["a", "b"]],
    ["db", []],
    ["db", ["look"]],
    ["db", ["stats", "more"]],
  ])("prints its usage for wrong arguments: %s %j", async (word, args) => {
    const { code, stdout, stderr } = await kairn([word, "--datadir", join(newFolder(), "data"), ...args]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(new RegExp(`^kairn: usage: kairn ${word} \\[--datadir D\\] `));
  });
});

describe("a database", () => {
  it("has its statistics in columns", async () => {
    const { run } = copied();
    const { stdout } = await run("db", "stats");
    const [first, second, third, files, empty, columns, ...tables] = stdout.trimEnd().split("\n");
    expect([first, second, third, empty]).toEqual([
      `head      block ${head.number} ${head.hash}`,
      `genesis   ${genesis.hash}, chain id ${JSON.parse(readFileSync(genesisFile, "utf8")).config.chainId}`,
      `states    from block ${head.number - 128} to ${head.number}`,
      "",
    ]);
    expect(files).toMatch(
      /^files {5}[\d.]+ [KM]iB database, [\d.]+ [KM]iB log \(\d+ records replayed, 0 bytes of a torn end\)$/,
    );
    expect(columns).toMatch(/^table +rows +size$/);
    expect(new Set([columns, ...tables].map((row) => row?.length)).size).toBe(1);
    expect(tables.find((row) => row.startsWith("header "))).toMatch(
      new RegExp(`^header +${head.number + 1} +[\\d.]+ KiB$`),
    );
  });

  it("is checked against the root of its head, and each block", async () => {
    const { run } = copied();
    const { code, stdout } = await run("db", "check");
    expect(code).toBe(0);
    const [rows, state, counts, found] = stdout.trimEnd().split("\n");
    expect(rows).toMatch(new RegExp(`^rows: .*\\bheader ${head.number + 1}\\b`));
    expect(state).toBe(`state of block ${head.number}: root ${head.stateRoot} is right`);
    expect(counts).toMatch(
      /^[1-9]\d* accounts, [1-9][\d,]* storage slots, [1-9][\d,]* trie nodes, [1-9]\d* codes$/,
    );
    expect(found).toMatch(
      new RegExp(
        `^${head.number + 1} blocks with [1-9][\\d,]* transactions, receipts and all look-ups agree, with `,
      ),
    );
  });

  it("reports the progress of a check", async () => {
    const { run } = copied();
    let ms = 0;
    vi.spyOn(Date, "now").mockImplementation(() => (ms += 10_000));
    const { stderr } = await run("db", "check");
    const lines = [...stderr.matchAll(/ ([\d.]+) % {2}\S[^%]* left {2}(\w+)(?:, | )(\d+)/g)];
    const told = (what: string) =>
      lines.filter(([, , word]) => word === what).map(([, percent, , number]) => [Number(number), percent]);
    const blocks = Array.from({ length: head.number + 1 }, (_, i) => [i, percentOf(i / (head.number + 1))]);
    expect(told("block")).toEqual(blocks);
    const states = told("state");
    expect(states.map(([number]) => number)).toEqual(states.map((_, i) => i + 1));
    const percents = states.map(([, percent]) => percent);
    expect(percents).toEqual(percents.toSorted((a, b) => Number(a) - Number(b)));
    for (const address of Object.keys(JSON.parse(readFileSync(genesisFile, "utf8")).alloc)) {
      const hashed = keccak256(hexToBytes(`0x${address.replace("0x", "")}`));
      expect(percents).toContain(percentOf(((hashed[0] as number) * 256 + (hashed[1] as number)) / 65_536));
    }
  });

  it("normally needs no repair, and must exist", async () => {
    const { data, run } = copied();
    expect(await run("db", "repair")).toMatchObject({
      ...{ code: 0, stdout: "the log is whole: there is nothing to repair\n" },
    });
    const none = join(data, "none");
    expect(await kairn(["db", "--datadir", none, "repair"])).toMatchObject({
      ...{ code: 2, stderr: `kairn: there is no ${join(none, "chaindata")}\n` },
    });
  });
});

describe("a backup", () => {
  it("is a folder that a node can be started on, without keys unless requested", async () => {
    const { folder, data, run } = copied();
    const keystore = join(data, "keystore");
    mkdirSync(keystore);
    writeFileSync(join(keystore, "UTC--one"), "{}");
    symlinkSync(genesisFile, join(keystore, "link"));
    writeFileSync(join(data, "nodekey"), "00", { mode: 0o644 });
    writeFileSync(join(data, "transactions.rlp"), "c0");
    const copy = join(folder, "copy");
    expect(await run("backup", copy)).toMatchObject({ code: 0, stdout: `backup of ${data} in ${copy}\n` });
    expect(readdirSync(copy).sort()).toEqual(["chaindata", "transactions.rlp"]);
    expect((await kairn(["db", "--datadir", copy, "check"])).stdout).toContain(
      `root ${head.stateRoot} is right`,
    );
    const withKeys = join(folder, "with-keys");
    expect((await run("backup", "--with-keystore", withKeys)).code).toBe(0);
    expect(readdirSync(join(withKeys, "keystore"))).toEqual(["UTC--one"]);
    expect(statSync(join(withKeys, "keystore")).mode & 0o777).toBe(0o700);
    expect(statSync(join(withKeys, "nodekey")).mode & 0o777).toBe(0o600);
    const elsewhere = join(folder, "elsewhere");
    expect((await run("backup", "--with-keystore", "--keystore", join(folder, "none"), elsewhere)).code).toBe(
      0,
    );
    expect(existsSync(join(elsewhere, "keystore"))).toBe(false);
  });

  it("needs a chain, and a target folder without one", async () => {
    const { folder, data, run } = copied();
    const empty = join(folder, "empty");
    expect(await kairn(["backup", "--datadir", empty, join(folder, "copy")])).toMatchObject({
      ...{ code: 2, stderr: `kairn: there is no chain in ${empty}\n` },
    });
    expect((await run("backup", data)).code).toBe(1);
  });
});
