import { expect, it } from "vitest";
import { HttpCaller } from "./client.ts";

it("aborts its signal when the client leaves, also one that is asked for later", () => {
  const [early, late, staying] = [1, 2, 3].map(() => new HttpCaller("127.0.0.1", {}));
  const signal = early?.signal;
  expect([early?.isWatched, late?.isWatched, signal?.aborted]).toEqual([true, false, false]);
  early?.leave();
  late?.leave();
  expect([signal?.aborted, late?.signal.aborted, late?.isWatched, staying?.signal.aborted]).toEqual([
    true,
    true,
    true,
    false,
  ]);
});

it("may have many listeners without a warning", async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => warnings.push(warning);
  process.on("warning", note);
  const { signal } = new HttpCaller("127.0.0.1", {});
  for (let i = 0; i < 20; i++) signal.addEventListener("abort", () => {});
  await new Promise((resolve) => setImmediate(resolve));
  process.off("warning", note);
  expect(warnings).toEqual([]);
});
