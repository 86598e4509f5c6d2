import { expect, it } from "vitest";
import { createSimulatedRuntime } from "../../../platform/runtime/simulated.ts";
import { SharedAnswer } from "./shared-answer.ts";

it("is made once for a thousand who ask within an interval, behind their questions", async () => {
  const runtime = createSimulatedRuntime();
  let made = 0;
  const answer = new SharedAnswer(() => ++made, runtime);
  expect(answer.ask()).toBe(1);
  const answers = Array.from({ length: 1000 }, () => answer.ask());
  expect(made).toBe(1);
  await runtime.advance(199);
  expect(made).toBe(1);
  answers.push(answer.ask());
  await runtime.advance(1);
  expect(new Set(await Promise.all(answers))).toEqual(new Set([2]));
  await runtime.advance(200);
  expect(answer.ask()).toBe(3);
  expect(runtime.scheduled).toBe(0);
});

it("fails for those alone who asked for the one that failed", async () => {
  const runtime = createSimulatedRuntime();
  let made = 0;
  const answer = new SharedAnswer(() => {
    if (++made === 2) throw new Error("no answer");
    return made;
  }, runtime);
  expect(answer.ask()).toBe(1);
  const refused = [answer.ask(), answer.ask()].map((asked) => expect(asked).rejects.toThrow("no answer"));
  await runtime.advance(200);
  await Promise.all(refused);
  const next = answer.ask();
  await runtime.advance(200);
  expect(await next).toBe(3);
});
