import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { devNodeOptions } from "../node/options/index.ts";
import { resolveOptions } from "../platform/config/resolve.ts";
import { defaultDataDir, isKept, networkOf, toDevOptions, toNodeOptions } from "./settings.ts";

const settings = (...argv: string[]) => resolveOptions(devNodeOptions, { argv }).values;
const dev = (...argv: string[]) => toDevOptions(settings(...argv), {});

describe("options that form one setting together", () => {
  it.each([
    [[], { kind: "onDemand" }],
    [["--block-time=2s"], { kind: "interval", intervalMs: 2000, onDemand: false }],
    [["--block-time=2s", "--mixed-mining"], { kind: "interval", intervalMs: 2000, onDemand: true }],
    [["--no-mining"], { kind: "manual" }],
    [["--no-mining", "--block-time=2s"], { kind: "manual" }],
  ])("%j configure sealing", (argv, sealing) => {
    expect(dev(...argv).sealing).toEqual(sealing);
  });

  it.each([
    [[], undefined],
    [["--load-state=l"], { load: resolve("l"), intervalMs: 60_000 }],
    [["--dump-state=d", "--state-interval=5s"], { dump: resolve("d"), intervalMs: 5000 }],
    [["--load-state=l", "--dump-state=d"], { load: resolve("l"), dump: resolve("d"), intervalMs: 60_000 }],
    [["--state=s"], { file: resolve("s"), intervalMs: 60_000 }],
  ])("%j configure state files", (argv, state) => {
    expect(dev(...argv).state).toEqual(state);
  });

  it("place the cache of a fork in the user's folder, in another one, or nowhere", () => {
    const cacheDir = (...argv: string[]) => dev("--fork-url=http://x", ...argv).fork?.cacheDir;
    expect(cacheDir()).toMatch(/kairn.*forks$/);
    expect(cacheDir("--fork-cache=c")).toBe(resolve("c"));
    expect(cacheDir("--fork-cache=c", "--no-fork-cache")).toBeUndefined();
  });

  it.each([
    [["--mixed-mining"], "--mixed-mining requires --block-time"],
    [["--mixed-mining", "--block-time=1s", "--no-mining"], "--mixed-mining requires --block-time"],
    [["--state=s", "--dump-state=d"], "--state and --dump-state cannot be given together"],
    [["--state=s", "--load-state=l"], "--state and --load-state cannot be given together"],
  ])("%j are rejected", (argv, text) => {
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
  ])("%j: the chain is stored in a folder: %s", (argv, kept) => {
    expect(isKept(settings(...argv))).toBe(kept);
  });

  it("select one public network at most", () => {
    expect([[], ["--mainnet"], ["--testnet"]].map((argv) => networkOf(settings(...argv)))).toEqual([
      undefined,
      "mainnet",
      "kairos",
    ]);
    expect(() => networkOf(settings("--mainnet", "--testnet"))).toThrowError("cannot be given together");
  });

  it("apply HTTP's virtual hosts to metrics, and open an IPC socket only with a folder", () => {
    const node = (...argv: string[]) => toNodeOptions(settings(...argv), undefined);
    expect(node("--prometheus", "--rpcvhosts=a").metrics).toMatchObject({ virtualHosts: ["a"] });
    expect(node("--rpcvhosts=a").metrics).toBeUndefined();
    expect([node().ipc, node("--ipcpath=s").ipc, toNodeOptions(settings(), "d").ipc]).toEqual([
      false,
      resolve("s"),
      true,
    ]);
  });

  it.each([
    [["--nodekey=a", "--nodekeyhex=b"], "--nodekey and --nodekeyhex cannot be given together"],
    [
      ["--bls-nodekey=a", "--bls-nodekeyhex=b"],
      "--bls-nodekey and --bls-nodekeyhex cannot be given together",
    ],
  ])("allow only one source of a key: %j", (argv, text) => {
    expect(() => toNodeOptions(settings(...argv), undefined)).toThrowError(text);
  });

  it("allow each kind of key to be absent, or given as file or hex", () => {
    const node = (...argv: string[]) => toNodeOptions(settings(...argv), undefined);
    expect(node().dataDir).toBeUndefined();
    const key = "01".repeat(32);
    expect(() => node(`--nodekeyhex=${key}`, `--bls-nodekeyhex=${key}`)).not.toThrow();
    expect(toNodeOptions(settings(), "d").dataDir).toBe("d");
  });
});

describe("the user's data folder", () => {
  const on = (platform: NodeJS.Platform, env: Record<string, string>) => {
    const given = Object.getOwnPropertyDescriptor(process, "platform") as PropertyDescriptor;
    Object.defineProperty(process, "platform", { ...given, value: platform });
    try {
      const cache = toDevOptions(settings("--fork-url=http://x"), env).fork?.cacheDir;
      return [defaultDataDir("dev", env), cache];
    } finally {
      Object.defineProperty(process, "platform", given);
    }
  };

  it.each([
    ["linux", {}, [".local/share/kairn/dev", ".cache/kairn/forks"]],
    ["darwin", {}, ["Library/Application Support/kairn/dev", "Library/Caches/kairn/forks"]],
    ["win32", {}, ["kairn/dev", "kairn/cache/forks"]],
  ] as const)("is below the home folder on %s", (platform, env, paths) => {
    expect(on(platform, env)).toEqual(paths.map((path) => join(homedir(), path)));
  });

  it("follows the environment", () => {
    expect(on("linux", { XDG_DATA_HOME: "/d", XDG_CACHE_HOME: "/c" })).toEqual([
      ...["/d/kairn/dev", "/c/kairn/forks"],
    ]);
    expect(on("win32", { APPDATA: "/d", LOCALAPPDATA: "/c" })).toEqual([
      "/d/kairn/dev",
      "/c/kairn/cache/forks",
    ]);
  });
});
