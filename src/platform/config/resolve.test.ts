import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ignoredFlags } from "./ignored-flags.ts";
import { option } from "./option.ts";
import { resolveOptions } from "./resolve.ts";
import * as t from "./types.ts";

const options = {
  rpc: option({ flag: "rpc", env: ["RPC_ENABLE"], type: t.boolean, default: false, doc: "" }),
  rpcPort: option({ flag: "rpcport", env: ["RPC_PORT"], type: t.port, default: 8551, doc: "" }),
  rpcApi: option({ flag: "rpcapi", env: ["RPC_API"], type: t.list, default: ["net"], doc: "" }),
  mode: option({ flag: "gcmode", type: t.oneOf("full", "archive"), default: "full", doc: "" }),
  secret: option({ flag: "mnemonic", type: t.integer(1, 2), default: 1, doc: "", secret: true }),
};

describe("resolveOptions", () => {
  it("prefers flag over environment over file over default, and reports the source", () => {
    const { values, sources } = resolveOptions(options, {
      argv: ["--rpcport", "1"],
      env: { RPC_PORT: "2", RPC_API: "eth, web3" },
      file: { rpcport: 3, RPC_API: "net", gcmode: "archive" },
    });
    expect(values).toEqual({ rpc: false, rpcPort: 1, rpcApi: ["eth", "web3"], mode: "archive", secret: 1 });
    expect(sources).toEqual({
      rpc: "default",
      rpcPort: "flag",
      rpcApi: "environment",
      mode: "file",
      secret: "default",
    });
  });

  it("reads switches with and without a value and keeps what is not a flag", () => {
    const read = (...argv: string[]) => resolveOptions(options, { argv });
    expect(read("--rpc", "file.rlp").values.rpc).toBe(true);
    expect(read("--rpc", "file.rlp").positionals).toEqual(["file.rlp"]);
    expect(read("--rpc=0").values.rpc).toBe(false);
    expect(read("--rpc", "--", "--rpc", "-x").positionals).toEqual(["--rpc", "-x"]);
    expect(read("--rpcport=12").values.rpcPort).toBe(12);
    expect(read("-rpcport", "12", "-").positionals).toEqual(["-"]);
    expect(resolveOptions(options, { env: { RPC_ENABLE: "1" } }).values.rpc).toBe(true);
  });

  it("accepts and reports ignored flags; an option of the same name wins", () => {
    const ignored = ignoredFlags("snapshot rpc", "syncmode cache.level");
    const argv = ["--snapshot", "--syncmode", "full", "--cache.level=saving", "--rpc", "a"];
    const resolved = resolveOptions(options, { argv, ignored });
    expect(resolved.ignored).toEqual(["snapshot", "syncmode", "cache.level"]);
    expect(resolved.values.rpc).toBe(true);
    expect(resolved.positionals).toEqual(["a"]);
  });

  it.each([
    [["--rpcprt", "1"], "unknown flag --rpcprt (did you mean --rpcport?)"],
    [["--rpcport", "70000"], '--rpcport: "70000" is not a whole number from 0 to 65535'],
    [["--rpcport"], "--rpcport needs a value"],
    [["--gcmode", "fast"], '--gcmode: "fast" is not one of full, archive'],
    [["--mnemonic", "hush"], "--mnemonic: the value given is not a whole number from 1 to 2"],
  ])("refuses %j", (argv, message) => {
    expect(() => resolveOptions(options, { argv })).toThrowError(message);
  });

  it("ignores settings of other commands in a shared file", () => {
    const { mode, ...others } = options;
    const file = { gcmode: "archive", RPC_ENABLE: 1, rpcport: "no port" };
    expect(resolveOptions({ mode }, { file, elsewhere: others }).values).toEqual({ mode: "archive" });
  });

  it("names an unknown entry of a file", () => {
    expect(() => resolveOptions(options, { file: { RPC_PROT: 1 } })).toThrowError(
      "unknown setting RPC_PROT in the config file (did you mean RPC_PORT?)",
    );
    expect(() => resolveOptions(options, { file: { X: 1 }, path: "/etc/node.conf" })).toThrowError(
      "unknown setting X in the config file /etc/node.conf",
    );
  });

  it("truncates a long unknown name, and suggests nothing", () => {
    const name = "x".repeat(30_000_000);
    expect(() => resolveOptions(options, { file: { [name]: 1 } })).toThrowError(
      /^unknown setting x{100} in the config file$/,
    );
  });
});

it("rejects times beyond the range of timers, and amounts above the limit", () => {
  expect(t.timer(1).parse("24h")).toBe(86_400_000);
  for (const text of ["0", "0.0001s", "600h"])
    expect(() => t.timer(1).parse(text)).toThrowError("a time from 1ms to 24 days");
  expect(() => t.bigNumberFrom(1n, 9n).parse("0x0")).toThrowError("a number from 1 to 9");
  expect(() => t.coins.parse("1".padEnd(42, "0"))).toThrowError("an amount below 10^40");
});

it("shows times and amounts as they are written", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 31 }), fc.bigInt({ min: 0n, max: 10n ** 40n }), (ms, kei) => {
      expect(t.duration.parse(t.duration.format?.(ms) ?? "")).toBe(ms);
      expect(t.coins.parse(t.coins.format?.(kei) ?? "")).toBe(kei);
    }),
  );
  expect([5000, 3_600_000, 250].map((ms) => t.duration.format?.(ms))).toEqual(["5s", "1h", "250ms"]);
  expect(t.coins.format?.(10n ** 22n)).toBe("10000");
});

it("reads times and amounts", () => {
  expect(["90", "5m", "1h30m", "250ms"].map((x) => t.duration.parse(x))).toEqual([
    90_000, 300_000, 5_400_000, 250,
  ]);
  expect(t.coins.parse("0.5")).toBe(5n * 10n ** 17n);
});
