import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { expect, it } from "vitest";
import { threadStacks } from "./thread-stacks.ts";

const CODE = `
  const { parentPort } = require("node:worker_threads");
  const flag = new Int32Array(require("node:worker_threads").workerData);
  function computesForever() { while (Atomics.load(flag, 0) === 0) {} }
  parentPort.once("message", () => { parentPort.postMessage("begun"); computesForever(); parentPort.postMessage("ended"); });
  parentPort.postMessage("ready");
`;

it("shows the stacks of busy threads, and which are idle, without affecting either", async () => {
  const flag = new SharedArrayBuffer(4);
  const start = (name: string) => new Worker(CODE, { eval: true, name, workerData: flag });
  const [busy, idle] = [start("busy"), start("idle")];
  await Promise.all([once(busy, "message"), once(idle, "message")]);
  busy.postMessage("go");
  await once(busy, "message");
  const found = async (name: string) =>
    (await threadStacks(2_000)).find((thread) => thread.name.includes(name));
  expect((await found("busy"))?.frames?.join()).toContain("computesForever");
  // work left by its start may still be in progress
  await expect.poll(() => found("idle"), { timeout: 20_000 }).toMatchObject({ frames: undefined });
  const ended = once(busy, "message");
  Atomics.store(new Int32Array(flag), 0, 1);
  expect(await ended).toEqual(["ended"]);
  idle.postMessage("go");
  await once(idle, "message");
  await Promise.all([busy.terminate(), idle.terminate()]);
});
