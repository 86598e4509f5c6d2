import { expect, it } from "vitest";
import { createSimulatedRuntime } from "../../../../platform/runtime/simulated.ts";
import { RoundTimers } from "./round-timers.ts";

it("replaces a task of the same name, keeps the others, and drops all of them when it is stopped", async () => {
  const runtime = createSimulatedRuntime();
  const timers = new RoundTimers(runtime.timers);
  const done: string[] = [];
  for (const name of ["a", "b"]) timers.set("round", 10, () => done.push(`round ${name}`));
  for (const name of ["a", "b"]) timers.add(20, () => done.push(`early ${name}`));
  await runtime.advance(15);
  expect(done).toEqual(["round b"]);
  await runtime.advance(10);
  expect(done).toEqual(["round b", "early a", "early b"]);
  timers.set("draft", 10, () => done.push("draft"));
  timers.add(10, () => done.push("early c"));
  timers.stop();
  await runtime.advance(100);
  expect(done).toHaveLength(3);
});
