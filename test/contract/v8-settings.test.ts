import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

// When the program changes V8's settings (bin/program.js).

const require = createRequire(import.meta.url);
const v8 = require("node:v8") as typeof import("node:v8");
const options = spawnSync(process.execPath, ["--v8-options"], { encoding: "utf8" }).stdout;

/** The flag with V8's default value. */
function own(name: string): string[] {
  const value = new RegExp(`--${name} \\(.*\\n.*default: (?:--${name}=)?(\\d+)`).exec(options)?.[1];
  return [`--${name}=${Number(value)}`];
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it("grows the young generation after the start, and optimises late, most of all until it has used 6 s of CPU", () => {
  const setFlags = vi.spyOn(v8, "setFlagsFromString").mockReturnValue(undefined);
  const cpu = vi.spyOn(process, "cpuUsage").mockReturnValue({ user: 5_000_000, system: 999_000 });
  // imported here, so that it uses the spied function
  const { optimiseOnceGrown } = require("../../bin/program.js") as { optimiseOnceGrown(): void };
  optimiseOnceGrown();
  expect(setFlags.mock.calls).toEqual([
    ["--interrupt-budget=400000 --semi-space-growth-factor=1 --max-inlined-bytecode-size-cumulative=500"],
  ]);
  setFlags.mockClear();
  vi.advanceTimersByTime(3_600_000); // even if the process idles
  expect(setFlags.mock.calls).toEqual([own("semi-space-growth-factor")]);
  setFlags.mockClear();
  cpu.mockReturnValue({ user: 5_000_000, system: 1_000_000 });
  vi.advanceTimersByTime(500);
  expect(setFlags.mock.calls).toEqual([["--interrupt-budget=200000"]]);
  expect(vi.getTimerCount()).toBe(0);
});
