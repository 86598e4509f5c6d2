import { expect, it } from "vitest";
import { createLogger, type LogOptions } from "./logger.ts";

function capture(format: LogOptions["format"], verbosity: number) {
  const lines: string[] = [];
  const log = createLogger({ format, verbosity, now: () => 0, write: (line) => void lines.push(line) });
  return { lines, ...log };
}

it("writes one line per event with its component and quoted data", () => {
  const { lines, logger } = capture("text", 3);
  logger.child("chain").info("imported block", { number: 7n, note: "two words" });
  logger.debug("hidden");
  expect(lines).toEqual(['00:00:00.000 INFO  [chain] imported block number=7 note="two words"\n']);
});

it("writes JSON and changes its level at run time", () => {
  const { lines, logger, setVerbosity } = capture("json", 1);
  logger.info("hidden");
  setVerbosity(3);
  logger.info("shown", { n: 1n });
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { time: "1970-01-01T00:00:00.000Z", level: "info", message: "shown", n: "1" },
  ]);
});

it("escapes control characters", () => {
  const { lines, logger } = capture("text", 3);
  logger.info("peer", { name: "\u001b[2Jkairn\u009b\u202e" });
  expect(lines).toEqual(['00:00:00.000 INFO  peer name="\\u001b[2Jkairn\\u{9b}\\u{202e}"\n']);
});

it.each(["text", "json"] as const)("shortens what others say at length, in %s", (format) => {
  const { lines, logger } = capture(format, 3);
  const error = new Error("x".repeat(100_000));
  logger.warn("broker", { reason: "y".repeat(4_097), short: "z".repeat(4_096), error });
  expect(lines[0]).toContain(`${"y".repeat(4_096)}… (4097 characters)`);
  expect(lines[0]).toContain("z".repeat(4_096));
  expect(lines[0]?.length).toBeLessThan(13_000);
});
