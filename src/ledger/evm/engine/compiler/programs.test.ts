import { expect, it } from "vitest";
import { kaiaRuleSet } from "../../tables/kaia-rules.ts";
import { rulesAt } from "../../testing/run-code.ts";
import { Machine } from "../machine.ts";
import { createInlineCompiler } from "./code-compiler.ts";
import { MAX_PROGRAMS } from "./programs.ts";

it("holds a bounded number of programs, however small, and drops all of them before the next run", () => {
  const machine = new Machine(undefined, createInlineCompiler("always"));
  const rules = kaiaRuleSet(rulesAt("osaka"));
  const loaded = machine.load(rules);
  const { table } = machine.interpreter;
  const compileCodes = (count: number): number => {
    machine.begin(rules, true);
    for (let i = 0; i < count; i++) {
      const code = Uint8Array.of(0x61, i >> 8, i & 0xff, 0x50);
      const placed = machine.cached(loaded, String(i), code);
      if (placed) machine.warm(placed, loaded.table, 1);
    }
    return table.length;
  };
  const before = table.length;
  const full = compileCodes(MAX_PROGRAMS + 100);
  expect(full - before).toBeGreaterThanOrEqual(MAX_PROGRAMS);
  expect(full - before).toBeLessThan(MAX_PROGRAMS + 32);
  expect(compileCodes(MAX_PROGRAMS + 100)).toBe(full);
});
