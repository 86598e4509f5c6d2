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
