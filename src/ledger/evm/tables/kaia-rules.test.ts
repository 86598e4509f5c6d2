import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Fork } from "../../../protocol/params/forks.ts";
import { rulesAt } from "../testing/run-code.ts";
import { kaiaRuleSet } from "./kaia-rules.ts";

interface VectorRow {
  readonly name: string;
  readonly constantGas: number;
  readonly computationCost: number;
  readonly minStack: number;
  readonly maxStack: number;
}

const { tables } = JSON.parse(
  readFileSync(new URL("../../../../test/fixtures/vectors/opcodes.json", import.meta.url), "utf8"),
) as { tables: Record<string, Record<string, VectorRow>> };

/** The table of the vectors that applies at each fork. */
const TABLES: readonly [Fork | undefined, string][] = [
  [undefined, "preIstanbul"],
  ["istanbul", "istanbul"],
  ["london", "london"],
  ["magma", "london"],
  ["kore", "kore"],
  ["shanghai", "shanghai"],
  ["cancun", "cancun"],
  ["kaia", "cancun"],
  ["prague", "prague"],
  ["osaka", "osaka"],
];

describe("opcode tables", () => {
  it.each(TABLES)("at %s equal the published table %s", (fork, table) => {
    const { opcodes } = kaiaRuleSet(rulesAt(fork));
    const ours = Object.fromEntries(
      opcodes.flatMap((row, number) => {
        if (!row) return [];
        const { name, gas: constantGas, computation: computationCost, pops: minStack } = row;
        const maxStack = 1024 + row.pops - row.pushes;
        const key = `0x${number.toString(16).padStart(2, "0")}`;
        return [[key, { name, constantGas, computationCost, minStack, maxStack }]];
      }),
    );
    const theirs = Object.fromEntries(
      Object.entries(tables[table] ?? {}).map(
        ([key, { name, constantGas, computationCost, minStack, maxStack }]) => [
          key,
          { name, constantGas, computationCost, minStack, maxStack },
        ],
      ),
    );
    expect(ours).toEqual(theirs);
  });
});
