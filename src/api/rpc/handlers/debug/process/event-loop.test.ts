import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createNode, type Node } from "../../../../../node/create-node.ts";

const folder = mkdtempSync(join(tmpdir(), "kairn-event-loop-"));
let node: Node;
beforeAll(async () => {
  node = await createNode({ dumpDir: folder });
});
afterAll(async () => {
  await node.stop();
  rmSync(folder, { recursive: true });
});

const call = (method: string, ...params: unknown[]) => node.provider.request({ method, params });
const file = (name: string) => join(folder, name);
const written = (name: string) => JSON.parse(readFileSync(file(name), "utf8"));

/** Keeps the main thread busy. */
function block(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

describe("profiles of the event loop", () => {
  it("are Chrome traces of what the runtime did, one at a time", async () => {
    expect(await call("debug_startGoTrace", file("first.json"))).toBeNull();
    await expect(call("debug_startGoTrace", file("second.json"))).rejects.toThrow("already in progress");
    await call("debug_freeOSMemory");
    expect(await call("debug_stopGoTrace")).toBeNull();
    await expect(call("debug_stopGoTrace")).rejects.toThrow("not in progress");
    const { traceEvents } = written("first.json");
    expect(traceEvents.length).toBeGreaterThan(0);
    expect(traceEvents[0]).toMatchObject({
      name: expect.any(String),
      ph: expect.any(String),
      pid: process.pid,
    });
    expect(await call("debug_goTrace", file("third.json"), 0)).toBeNull();
  });

  it("report how long the main thread was blocked", async () => {
    let times = 0;
    await call("debug_setBlockProfileRate", 1);
    await expect
      .poll(async () => {
        // The monitor counts from its first tick on, which may come after the first of these.
        block(60);
        const name = `block-${++times}.json`;
        await call("debug_writeBlockProfile", name);
        return written(name).eventLoopDelay.max ?? 0;
      })
      .toBeGreaterThan(30e6);
    await call("debug_setBlockProfileRate", 0);
    expect(await call("debug_blockProfile", file("timed.json"), 0)).toBeNull();
  });

  it("have no mutexes to show", async () => {
    expect(await call("debug_mutexProfile", file("mutex.json"), 0)).toBeNull();
    expect(await call("debug_writeMutexProfile", "mutexes.json")).toBeNull();
    expect(written("mutex.json")).toEqual({ mutexes: [] });
  });

  it("are refused in one line where the file cannot be written", async () => {
    await expect(call("debug_writeBlockProfile", file("no/such/folder"))).rejects.toMatchObject({
      code: -32000,
      message: expect.stringContaining("bare name"),
    });
    await expect(call("debug_mutexProfile", "later.json", 601)).rejects.toThrow("at most 600 seconds");
  });
});
