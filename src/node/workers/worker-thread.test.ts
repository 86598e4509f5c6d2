import { afterEach, describe, expect, it } from "vitest";
import { WorkerThread } from "./worker-thread.ts";

/** Returns the sum of the first bytes of payload and setup; crashes on 0. */
const SCRIPT = new URL(
  `data:text/javascript,${encodeURIComponent(`
  import { parentPort, workerData } from "node:worker_threads";
  parentPort.on("message", ({ id, payload }) => {
    if (payload[0] === 0) throw new Error("broken");
    parentPort.postMessage({ id, result: payload[0] + workerData });
  });
`)}`,
);

const payload = (n: number) => Uint8Array.of(n);

describe("a thread", () => {
  const thread = new WorkerThread<number>(SCRIPT, 10);
  afterEach(() => thread.close());

  it("returns the script's result for the payload of each job", async () => {
    expect(await Promise.all([1, 2, 3].map((n) => thread.ask(payload(n))))).toEqual([11, 12, 13]);
  });

  it("fails queued jobs when it crashes, and restarts with the next job", async () => {
    const broken = [thread.ask(payload(0)), thread.ask(payload(1))];
    const outcomes = await Promise.allSettled(broken);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(await thread.ask(payload(2))).toBe(12);
  });

  it("fails queued jobs when it is closed, and restarts with the next job", async () => {
    await thread.ask(payload(1));
    const waiting = thread.ask(payload(1)).catch((error: Error) => error.message);
    await thread.close();
    expect(await waiting).toBe("the thread was closed");
    expect(await thread.ask(payload(2))).toBe(12);
  });
});
