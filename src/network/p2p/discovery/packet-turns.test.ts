import { expect, it } from "vitest";
import { createSimulatedRuntime } from "../../../platform/runtime/simulated.ts";
import { PACKETS_PER_TURN, PacketTurns } from "./packet-turns.ts";

it("opens the packets of a burst in order, a few per turn, and a lone one at once", async () => {
  const { timers, advance } = createSimulatedRuntime();
  const turns = new PacketTurns(timers);
  const opened: number[] = [];
  for (let i = 0; i < 3 * PACKETS_PER_TURN; i++) turns.take(() => opened.push(i));
  for (const count of [1, 2, 3]) {
    expect(opened).toEqual(Array.from({ length: count * PACKETS_PER_TURN }, (_, i) => i));
    await advance(1);
  }
  await advance(10);
  turns.take(() => opened.push(-1));
  expect(opened.at(-1)).toBe(-1);
});

it("takes a packet that arrives while others wait behind them", async () => {
  const { timers, advance } = createSimulatedRuntime();
  const turns = new PacketTurns(timers);
  const opened: string[] = [];
  for (let i = 0; i <= 2 * PACKETS_PER_TURN; i++) turns.take(() => opened.push("early"));
  await advance(1);
  turns.take(() => opened.push("late"));
  expect(opened).not.toContain("late");
  await advance(5);
  expect(opened.indexOf("late")).toBe(2 * PACKETS_PER_TURN + 1);
});

it("opens nothing after it was closed, and leaves no timer", async () => {
  const runtime = createSimulatedRuntime();
  const turns = new PacketTurns(runtime.timers);
  let opened = 0;
  for (let i = 0; i < 2 * PACKETS_PER_TURN; i++) turns.take(() => opened++);
  turns.close();
  await runtime.advance(5);
  expect([opened, runtime.scheduled]).toEqual([PACKETS_PER_TURN, 0]);
});
