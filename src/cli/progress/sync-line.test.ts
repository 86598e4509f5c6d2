import { expect, it } from "vitest";
import { SyncLine, type SyncLineOutput } from "./sync-line.ts";

/** A line in a pipe or a terminal, a clock set by hand, and what was written. */
function scene(isTTY = false, values: Partial<SyncLineOutput["values"]> = {}) {
  const written: string[] = [];
  const clock = { ms: 0 };
  const stderr = { isTTY, columns: 100, write: (text: string) => written.push(text) > 0 };
  const output = { stderr, env: {}, values: { quiet: false, logFormat: "text", ...values } };
  const line = new SyncLine(output as unknown as SyncLineOutput, () => clock.ms);
  const at = (seconds: number, currentBlock: bigint, highestBlock: bigint): void => {
    clock.ms = seconds * 1000;
    line.update({ startingBlock: 0n, currentBlock, highestBlock });
  };
  return { written, line, at };
}

it("counts from the block at which synchronisation began, even when the head moves on", () => {
  const { written, at } = scene();
  at(0, 1_000n, 2_000n);
  at(10, 1_500n, 2_000n);
  at(20, 1_800n, 2_600n);
  expect(written).toEqual([
    "████████░░░░░░░░  50.0 %  10 s left  synchronising, block 1500 of 2000, 50 blocks/s\n",
    "████████░░░░░░░░  50.0 %  20 s left  synchronising, block 1800 of 2600, 40 blocks/s\n",
  ]);
});

it("shows nothing while merely following the head, and starts over after the end", () => {
  const { written, line, at } = scene();
  for (let second = 0; second < 60; second++) at(second, 937n, 1_000n);
  expect(written).toEqual([]);
  at(60, 900n, 1_000n);
  line.update(undefined);
  at(100, 1_000n, 2_000n);
  at(105, 1_250n, 2_000n);
  expect(written).toEqual([]);
  at(110, 1_500n, 2_000n);
  expect(written[0]).toContain("50.0 %  10 s left  synchronising, block 1500 of 2000, 50 blocks/s");
});

it("is cleared in a terminal at the end, and before other lines; shows nothing when quiet, or between lines of JSON", () => {
  for (const end of [
    ({ line }: ReturnType<typeof scene>) => line.clear(),
    ({ line }: ReturnType<typeof scene>) => line.update(undefined),
    ({ at }: ReturnType<typeof scene>) => at(3, 2_000n, 2_000n),
  ]) {
    const shown = scene(true);
    shown.at(0, 1_000n, 2_000n);
    shown.at(2, 1_100n, 2_000n);
    expect(shown.written).toHaveLength(1);
    end(shown);
    expect(shown.written[1]).toBe("\r\u001b[K");
  }
  for (const values of [{ quiet: true }, { logFormat: "json" }] as const) {
    const hushed = scene(true, values);
    hushed.at(0, 1_000n, 2_000n);
    hushed.at(20, 1_100n, 2_000n);
    hushed.line.clear();
    expect(hushed.written).toEqual([]);
  }
});
