import { ChildProcess } from "node:child_process";
import type { Socket } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { IoProcesses } from "./io-processes.ts";
import { execArgv, pidsOfIoProcesses, script } from "./testing/io-script.ts";

describe.skipIf(process.platform !== "linux")("I/O processes", () => {
  it("are killed and replaced when something fails while they run, and never twice", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const started = vi.spyOn(ChildProcess.prototype as unknown as { spawn(): unknown }, "spawn");
    onTestFinished(() => started.mockRestore());
    const others = pidsOfIoProcesses();
    const own = () => pidsOfIoProcesses().filter((pid) => !others.includes(pid));
    const faults = vi.fn();
    const pool = new IoProcesses({ script, count: 1, execArgv, onFault: faults });
    onTestFinished(() => pool.close());
    await pool.ready();
    const [pid] = own();
    const child = started.mock.contexts[0] as ChildProcess;
    const failure = new Error("a message could not be sent");
    child.emit("error", failure);
    child.emit("error", new Error("and another"));
    expect(pool.take({} as Socket)).toBeUndefined();
    while (faults.mock.calls.length === 0) await new Promise(setImmediate);
    expect(faults.mock.calls).toEqual([[failure]]);
    expect(own()).not.toContain(pid);
    vi.advanceTimersByTime(1000);
    await pool.ready();
    expect(own()).toHaveLength(1);
    expect(started).toHaveBeenCalledTimes(2);
  });

  it("are reported when they cannot be started, and leave connections to the main process", async () => {
    const faults = vi.fn();
    const none = new IoProcesses({ script, count: 1, execArgv: ["\0"], onFault: faults });
    await none.ready();
    expect(faults).toHaveBeenCalledTimes(1);
    expect(none.take({} as Socket)).toBeUndefined();
    await none.close();
  });

  it("are restarted with growing delays while they exit at once", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const faults = vi.fn();
    const pool = new IoProcesses({ script, count: 1, execArgv: ["--eval", "", "--"], onFault: faults });
    let delay = 1000;
    for (let ends = 1; ends <= 8; ends++, delay = Math.min(2 * delay, 60_000)) {
      while (faults.mock.calls.length < ends) await new Promise(setImmediate);
      vi.advanceTimersByTime(delay - 1);
      expect(vi.getTimerCount()).toBe(1);
      vi.advanceTimersByTime(1);
      expect(vi.getTimerCount()).toBe(0);
    }
    await pool.close();
  });
});
