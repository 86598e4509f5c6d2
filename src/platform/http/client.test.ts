import { expect, it } from "vitest";
import { HttpCaller } from "./client.ts";

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
