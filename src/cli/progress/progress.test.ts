import { expect, it } from "vitest";
import { createCopyLine, createIndexingLine, createProgressLine, type ProgressOutput } from "./progress.ts";

interface Shape {
  readonly isTTY?: boolean;
  readonly isQuiet?: boolean;
  readonly columns?: number;
  readonly env?: Record<string, string>;
}

/** An output that keeps what is written to it, with a clock that is set by hand. */
function scene({ isTTY = false, isQuiet = false, columns = 100, env = {} }: Shape = {}) {
  const written: string[] = [];
  const clock = { ms: 5_000_000 };
  const stderr = { isTTY, columns, write: (text: string) => written.push(text) > 0 };
  const output = { stderr, env, isQuiet } as unknown as ProgressOutput;
  return { written, clock, output, now: () => clock.ms };
}

/** Updates a line every 50 ms for some seconds, at a pace that ends after 40 s with 4,000 blocks. */
function run(shape: Shape, seconds: number) {
  const { written, clock, output, now } = scene(shape);
  const line = createProgressLine(output, now);
  for (let ms = 50; ms <= seconds * 1000; ms += 50) {
    clock.ms += 50;
    line.update(ms / 40_000, (rate) => `block ${ms / 10}, ${rate(ms / 10)} blocks/s`);
  }
  return { written, line };
}

it("prints a line every ten seconds where lines cannot be redrawn, and nothing at the end", () => {
  const { written, line } = run({}, 25);
  line.clear();
  expect(written).toEqual([
    "████░░░░░░░░░░░░  25.0 %  30 s left  block 1000, 100 blocks/s\n",
    "████████░░░░░░░░  50.0 %  20 s left  block 2000, 100 blocks/s\n",
  ]);
  expect(run({ isTTY: true, env: { TERM: "dumb" } }, 25).written).toEqual(written);
});

it("redraws one line in a terminal ten times a second, after the first second, and clears it", () => {
  expect(run({ isTTY: true }, 0.95).written).toEqual([]);
  const { written, line } = run({ isTTY: true }, 2);
  expect(written).toHaveLength(11);
  expect(written[0]).toBe("\r░░░░░░░░░░░░░░░░   2.5 %  39 s left  block 100, 100 blocks/s\u001b[K");
  expect(written.join("")).not.toContain("\n");
  line.clear();
  line.clear();
  expect(written.slice(11)).toEqual(["\r\u001b[K"]);
});

it("keeps the line within the columns of the terminal", () => {
  const [first = ""] = run({ isTTY: true, columns: 40 }, 1).written;
  expect(first.replace("\r", "").replace("\u001b[K", "")).toHaveLength(39);
});

it("clears nothing that was not drawn, and shows nothing when quiet", () => {
  const { written, line } = run({ isTTY: true }, 0.5);
  line.clear();
  expect(written).toEqual([]);
  const hushed = run({ isTTY: true, isQuiet: true }, 25);
  hushed.line.clear();
  expect(hushed.written).toEqual([]);
  expect(run({ isQuiet: true }, 25).written).toEqual([]);
});

it("does not guess the time that is left before anything is done", () => {
  const { written, clock, output, now } = scene();
  const line = createProgressLine(output, now);
  clock.ms += 10_000;
  line.update(0, (rate) => `${rate(0)} blocks/s`);
  expect(written[0]).toContain("0.0 %  ? left  0 blocks/s");
  clock.ms += 10_000;
  line.update(0.1, (rate) => `${rate(24_690_000)} blocks/s`);
  expect(written[1]).toContain("10.0 %  3 min 0 s left  1,234,500 blocks/s");
});

it("counts an interrupted index from the block where it resumes", () => {
  const { written, clock, output, now } = scene();
  const show = createIndexingLine(output, now);
  show(9_000, 10_000);
  clock.ms += 10_000;
  show(9_500, 10_000);
  show(10_000, 10_000);
  expect(written).toEqual([
    "████████░░░░░░░░  50.0 %  10 s left  logs indexed up to block 9500, 50 blocks/s\n",
  ]);
});

it("shows how much of a file has been copied, and how fast", () => {
  const { written, clock, output, now } = scene({ isTTY: true });
  const line = createCopyLine(output, 64 * 2 ** 20, now);
  clock.ms += 2_000;
  line.update(16 * 2 ** 20);
  line.clear();
  line.clear();
  expect(written).toEqual([
    "\r████░░░░░░░░░░░░  25.0 %  6 s left  16 MiB copied, 8 MiB/s\u001b[K",
    "\r\u001b[K",
  ]);
});

it("shows nothing for the first ten seconds where lines cannot be redrawn", () => {
  expect(run({}, 9.95).written).toEqual([]);
  expect(run({}, 10).written).toHaveLength(1);
});

it("assumes 80 columns if unknown, and clamps the fraction", () => {
  const { written, clock, output, now } = scene({ isTTY: true, columns: 0 });
  const line = createProgressLine(output, now);
  clock.ms += 1_000;
  line.update(1.5, () => "x".repeat(100));
  expect(written[0]).toMatch(/^\r█{16} 100\.0 % {2}0 s left {2}x+/);
  expect(written[0]).toHaveLength(1 + 79 + 3);
  clock.ms += 100;
  line.update(-1, () => "");
  expect(written[1]).toContain("░░░░░░░░░░░░░░░░   0.0 %  ? left");
});

it("formats minutes and seconds", () => {
  const { written, clock, output, now } = scene();
  const line = createProgressLine(output, now);
  clock.ms += 10_000;
  line.update(1 / 7, () => "");
  clock.ms += 10_000;
  line.update(20 / 79, () => "");
  clock.ms += 20_000;
  line.update(40 / 101, () => "");
  expect(written.map((text) => /% {2}(.*) left/.exec(text)?.[1])).toEqual(["1 min 0 s", "59 s", "1 min 1 s"]);
});
