import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { DEFAULT_AMOUNTS } from "../../src/api/rpc/services/budget.ts";
import {
  DEFAULT_LIMITS,
  DEFAULT_LOG_LIMITS,
  DEFAULT_TRACE_LIMITS,
} from "../../src/api/rpc/services/limits.ts";
import { nodeOptions, OPTION_GROUPS } from "../../src/node/options/index.ts";
import type { MemberOption } from "../../src/node/options/member.ts";
import { DEFAULT_TIMES } from "../../src/platform/http/budget.ts";
import { DEFAULT_DERIVATION_LIMITS } from "../../src/wallet/keystore/derivation-turns.ts";

type Limit = MemberOption<unknown, string>;
const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

/** Options of the group that tune the node or choose a mode, and refuse nothing. */
const NO_LIMITS = [
  ...["rpc.io-processes", "rpc.call-slice", "block-slice", "evm.compile", "rpc.rate-loopback"],
  "rpc.request-ids",
];
const { kdfConcurrent, kdfWaiting } = nodeOptions;
const limits = [...Object.values(OPTION_GROUPS["Limits of the API"] ?? {}), kdfConcurrent, kdfWaiting].filter(
  ({ flag }) => !NO_LIMITS.includes(flag),
) as Limit[];

/** The table "Limits" of the guide, by the first flag of a row. */
const rows = new Map(
  [
    ...read("docs/guide/operations.md").matchAll(/^\| (\*?`--[^|]+) \| ([^|]+) \| ([^|]+) \| ([^|]*)\|$/gm),
  ].map(([, flags = "", value = "", beyond = "", metric = ""]) => {
    const [flag = "", ...aliases] = [...flags.matchAll(/--([\w.-]+)/g)].map(([, name]) => name as string);
    return [flag, { aliases, value, beyond, metric: metric.trim() }] as const;
  }),
);

/** A number with its unit in units of the option. */
function amountIn(value: string, { type }: Limit): number {
  const [, digits = "", unit = ""] = /^([\d,]+) ?(MiB|s)?/.exec(value) ?? [];
  const factor = unit === "MiB" ? 2 ** 20 : unit === "s" && type.placeholder === "TIME" ? 1_000 : 1;
  return Number(digits.replaceAll(",", "")) * factor;
}

test("every limit is a row of the guide, with its other names and its default", () => {
  expect([...rows.keys()].sort()).toEqual(limits.map(({ flag }) => flag).sort());
  for (const limit of limits) {
    const row = rows.get(limit.flag);
    expect(row?.aliases, limit.flag).toEqual(limit.aliases ?? []);
    if (limit.default !== undefined)
      expect(amountIn(row?.value ?? "", limit), limit.flag).toBe(Number(limit.default));
  }
});

test("every refusal has an error or an end, and its metric exists", () => {
  const exported = read("src/node/instruments/own-names.ts");
  for (const [flag, { beyond, metric }] of rows) {
    expect(beyond, flag).not.toBe("");
    const isJsonRpcError = /-32\d{3}/.test(beyond);
    if (isJsonRpcError || metric !== "") expect(metric, flag).toMatch(/^`kairn_[a-z_]+_total`$/);
    expect(exported, flag).toContain(`name: "${metric.slice("`kairn_".length, -1)}`);
  }
});

test("every limit of the node can be set by a flag", () => {
  const members = new Set(limits.map(({ member }) => member));
  const needed = [
    ...Object.keys(DEFAULT_LIMITS).map((name) => `rpcLimits.${name}`),
    ...Object.keys(DEFAULT_LOG_LIMITS).map((name) => `logLimits.${name}`),
    ...Object.keys(DEFAULT_TRACE_LIMITS).map((name) => `traceLimits.${name}`),
    ...Object.keys(DEFAULT_AMOUNTS).map((name) => `sharedLimits.${name}`),
    ...Object.keys(DEFAULT_TIMES).map((name) => `sharedLimits.${name}Seconds`),
    ...Object.keys(DEFAULT_DERIVATION_LIMITS).map((name) => `keyDerivation.${name}`),
  ];
  expect(needed.filter((name) => !members.has(name))).toEqual([]);
});
