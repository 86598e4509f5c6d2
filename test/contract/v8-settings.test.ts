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

it.each([
  ["dev", 5_999],
  ["node", 1_499],
])(
  "`kairn %s` grows the young generation after the start, and optimises late until it has used %i ms of CPU",
  (command, lateMs) => {
    const setFlags = vi.spyOn(v8, "setFlagsFromString").mockReturnValue(undefined);
    const used = (ms: number) => ({ user: 1_000_000, system: (ms - 1_000) * 1_000 });
    const cpu = vi.spyOn(process, "cpuUsage").mockReturnValue(used(lateMs));
    // loaded here and for each test, so that it uses the spied function
    delete require.cache[require.resolve("../../bin/program.js")];
    const { optimiseOnceGrown } = require("../../bin/program.js") as {
      optimiseOnceGrown(command: string): void;
    };
    optimiseOnceGrown(command);
    expect(setFlags.mock.calls).toEqual([
      ["--interrupt-budget=400000 --semi-space-growth-factor=1 --max-inlined-bytecode-size-cumulative=500"],
    ]);
    setFlags.mockClear();
    vi.advanceTimersByTime(3_600_000); // even if the process idles
    expect(setFlags.mock.calls).toEqual([own("semi-space-growth-factor")]);
    setFlags.mockClear();
    cpu.mockReturnValue(used(lateMs + 1));
    vi.advanceTimersByTime(3_600_000);
    expect(setFlags.mock.calls).toEqual([
      command === "dev" ? ["--interrupt-budget=200000"] : own("interrupt-budget"),
    ]);
    setFlags.mockClear();
    cpu.mockReturnValue(used(6_000));
    vi.advanceTimersByTime(500);
    expect(setFlags.mock.calls).toEqual(command === "dev" ? [] : [["--interrupt-budget=200000"]]);
    expect(vi.getTimerCount()).toBe(0);
  },
);
