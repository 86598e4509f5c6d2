import { describe, expect, it } from "vitest";
import { resolveOptions } from "../../platform/config/resolve.ts";
import { countOrAny, httpUrl, tokensOf } from "./conversions.ts";
import { DEV_CHAIN_ID } from "./dev/dev.ts";
import { devNodeOptions } from "./index.ts";

const values = (args: readonly string[] = []) =>
  resolveOptions(devNodeOptions, { argv: args, env: {} }).values as Readonly<Record<string, unknown>>;

describe("a development chain by default", () => {
  it("is 1337 with ten accounts of 10,000 KAIA, by the path of Ethereum's wallets", () => {
    expect(DEV_CHAIN_ID).toBe(1337n);
    expect(values()).toMatchObject({
      ...{ accounts: 10, balance: 10_000n * 10n ** 18n, derivationPath: "m/44'/60'/0'/0/" },
      ...{ allowInsecureUnlock: false, autoImpersonate: false },
    });
  });
});

describe("bounds of options", () => {
  it.each([
    ["accounts", "0", "10000", ["-1", "10001"]],
    ["chain-id", "1", String(Number.MAX_SAFE_INTEGER), ["0", String(2n ** 53n)]],
    ["timestamp", "0", "8640000000000", ["8640000000001"]],
    ["unlock.max", "1", String(2 ** 31 - 1), ["0", String(2 ** 31)]],
    ["rpcport", "0", "65535", ["-1", "65536"]],
  ])("--%s takes %s and %s, and nothing beyond", (flag, least, most, beyond) => {
    for (const text of [least, most]) expect(() => values([`--${flag}=${text}`])).not.toThrow();
    for (const text of beyond) expect(() => values([`--${flag}=${text}`])).toThrow(`--${flag}`);
  });
});

describe("conversions", () => {
  it("take 0 and less for any number", () => {
    expect([-1, 0, 1].map(countOrAny)).toEqual([Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 1]);
  });

  it("refuse by code and flag what is no URL over HTTP, and what is not an address", () => {
    expect(httpUrl("https://h")).toBe("https://h");
    const url = { code: "CONFIG_VALUE", message: expect.stringContaining("--fork-url") };
    for (const text of ["ws://h", "h"]) expect(() => httpUrl(text)).toThrow(expect.objectContaining(url));
    expect(tokensOf([`0x${"ab".repeat(20)}`, "all"])).toBeUndefined();
    const token = { code: "CONFIG_VALUE", message: expect.stringContaining("0x12 is not an address") };
    expect(() => tokensOf(["0x12"])).toThrow(expect.objectContaining(token));
  });
});
