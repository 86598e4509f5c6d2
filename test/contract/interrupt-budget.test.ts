import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

// When the program lets V8 optimise as early as it would by itself (bin/program.js).

const require = createRequire(import.meta.url);
const v8 = require("node:v8") as typeof import("node:v8");
const ofV8 = Number(
  /--interrupt-budget \(.*\n.*default: (?:--interrupt-budget=)?(\d+)/.exec(
    spawnSync(process.execPath, ["--v8-options"], { encoding: "utf8" }).stdout,
  )?.[1],
);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it("gives V8 its own budget back once, after a second and a half of processor time, however long the process idles", () => {
  const setFlags = vi.spyOn(v8, "setFlagsFromString").mockReturnValue(undefined);
  const cpu = vi.spyOn(process, "cpuUsage").mockReturnValue({ user: 1_000_000, system: 499_000 });
  // loaded here, so that it takes the function that is watched
  const { optimiseOnceGrown } = require("../../bin/program.js") as { optimiseOnceGrown(): void };
  optimiseOnceGrown();
  vi.advanceTimersByTime(3_600_000);
  expect(setFlags).not.toHaveBeenCalled();
  cpu.mockReturnValue({ user: 1_000_000, system: 500_000 });
  vi.advanceTimersByTime(500);
  expect(setFlags.mock.calls).toEqual([[`--interrupt-budget=${ofV8}`]]);
  expect(vi.getTimerCount()).toBe(0);
});
