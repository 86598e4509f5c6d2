import { expect, it } from "vitest";
import { createSimulatedRuntime } from "../../platform/runtime/simulated.ts";
import { createLogger } from "../../platform/telemetry/logger.ts";
import { watchClock } from "./clock-watch.ts";

it("warns each time the clock is set, and leaves no timer behind", async () => {
  const runtime = createSimulatedRuntime();
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const { logger } = createLogger({ verbosity: 2, format: "text", now: () => 0, write });
  const end = watchClock(runtime, logger);
  await runtime.advance(30_000);
  runtime.setClock(-30_000);
  await runtime.advance(30_000);
  runtime.setClock(3_600_000);
  await runtime.advance(30_000);
  runtime.setClock(500);
  await runtime.advance(30_000);
  expect(lines).toEqual([
    expect.stringMatching(/the clock of this machine was set.*direction=back seconds=30/),
    expect.stringMatching(/the clock of this machine was set.*direction=forward seconds=3600/),
  ]);
  end();
  expect(runtime.scheduled).toBe(0);
});
