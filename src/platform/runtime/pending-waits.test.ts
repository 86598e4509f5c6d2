import { setTimeout as pause } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { PendingWaits } from "./pending-waits.ts";

it("rejects pending waits when it fails, and no later ones", async () => {
  const waits = new PendingWaits();
  const never = new Promise<never>(() => {});
  const failed = [waits.unlessFailed(never), waits.unlessFailed(never)].map((wait) => wait.catch(String));
  waits.fail(new Error("disk"));
  expect(await Promise.all(failed)).toEqual(["Error: disk", "Error: disk"]);
  expect(await waits.unlessFailed(Promise.resolve(1))).toBe(1);
  await expect(waits.unlessFailed(Promise.reject(new Error("its own")))).rejects.toThrow("its own");
});

it("keeps no result of a finished wait", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  setFlagsFromString("--no-expose-gc");
  const waits = new PendingWaits();
  const result = async () => new WeakRef(await waits.unlessFailed(Promise.resolve({ large: true })));
  const kept = await result();
  await pause(1); // a reference read in a turn is kept until its end
  collect();
  expect(kept.deref()).toBeUndefined();
});
