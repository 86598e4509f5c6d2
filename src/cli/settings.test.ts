import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { devNodeOptions } from "../node/options/index.ts";
import { resolveOptions } from "../platform/config/resolve.ts";
import { isKept, networkOf, toDevOptions, toNodeOptions } from "./settings.ts";

const FOLDER = mkdtempSync(join(tmpdir(), "kairn-settings-"));
const STATE = join(FOLDER, "state.json");
writeFileSync(STATE, "{}");
afterAll(() => rmSync(FOLDER, { recursive: true }));

const settings = (...argv: string[]) => resolveOptions(devNodeOptions, { argv }).values;
const dev = (...argv: string[]) => toDevOptions(settings(...argv));

describe("options that only together make a member", () => {
  it.each([
    [[], { mode: "instant" }],
    [["--block-time=2s"], { mode: "interval", intervalMs: 2000, instant: false }],
    [["--block-time=2s", "--mixed-mining"], { mode: "interval", intervalMs: 2000, instant: true }],
    [["--no-mining"], { mode: "off" }],
    [["--no-mining", "--block-time=2s"], { mode: "off" }],
  ])("%j seal blocks so", (argv, mining) => {
    expect(dev(...argv).mining).toEqual(mining);
  });

  it.each([
    [[], undefined],
    [["--load-state=l"], { load: resolve("l"), intervalMs: 60_000 }],
    [["--dump-state=d", "--state-interval=5s"], { dump: resolve("d"), intervalMs: 5000 }],
    [["--load-state=l", "--dump-state=d"], { load: resolve("l"), dump: resolve("d"), intervalMs: 60_000 }],
    [["--state=nowhere"], { dump: resolve("nowhere"), intervalMs: 60_000 }],
    [[`--state=${STATE}`], { load: STATE, dump: STATE, intervalMs: 60_000 }],
  ])("%j are these files of the state", (argv, state) => {
    expect(dev(...argv).state).toEqual(state);
  });

  it("cache what was read from another chain in the user's folder, another one or none", () => {
    const cacheDir = (...argv: string[]) => dev("--fork-url=http://x", ...argv).fork?.cacheDir;
    expect(cacheDir()).toMatch(/kairn.*forks$/);
    expect(cacheDir("--fork-cache=c")).toBe(resolve("c"));
    expect(cacheDir("--fork-cache=c", "--no-fork-cache")).toBeUndefined();
  });

  it.each([
    [["--mixed-mining"], "--mixed-mining has no meaning without --block-time"],
    [["--mixed-mining", "--block-time=1s", "--no-mining"], "--mixed-mining has no meaning"],
    [["--state=s", "--dump-state=d"], "--state implies --load-state and --dump-state"],
    [["--state=s", "--load-state=l"], "--state implies --load-state and --dump-state"],
  ])("%j are refused", (argv, text) => {
    expect(() => dev(...argv)).toThrowError(text);
  });

  it.each([
    [[], true],
    [["--fork-url=http://x"], false],
    [["--state=s"], false],
    [["--load-state=l"], false],
    [["--dump-state=d"], true],
    [["--load-state=l", "--datadir=d"], true],
    [["--datadir=d", "--ephemeral"], false],
  ])("%j: a folder keeps the chain: %s", (argv, kept) => {
    expect(isKept(settings(...argv))).toBe(kept);
  });

  it("name a public network, and no two", () => {
    expect([[], ["--mainnet"], ["--testnet"]].map((argv) => networkOf(settings(...argv)))).toEqual([
      undefined,
      "mainnet",
      "kairos",
    ]);
    expect(() => networkOf(settings("--mainnet", "--testnet"))).toThrowError("cannot be given together");
  });

  it("let metrics be asked for by the names that HTTP is, and open a socket beside a folder only", () => {
    const node = (...argv: string[]) => toNodeOptions(settings(...argv), undefined);
    expect(node("--prometheus", "--rpcvhosts=a").metrics).toMatchObject({ virtualHosts: ["a"] });
    expect(node("--rpcvhosts=a").metrics).toBeUndefined();
    expect([node().ipc, node("--ipcpath=s").ipc, toNodeOptions(settings(), "d").ipc]).toEqual([
      false,
      resolve("s"),
      true,
    ]);
  });
});
