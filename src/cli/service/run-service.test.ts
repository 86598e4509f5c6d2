import { readdirSync, readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { newFolder } from "../testing/kairn.ts";
import { runService, type Service } from "./run-service.ts";

type Part = { stop(): Promise<void> };
const EVENTS = ["SIGINT", "SIGTERM", "SIGHUP", "uncaughtException", "unhandledRejection"] as const;

/** Runs a service whose signals and uncaught errors come from the test. */
function scene(service: Partial<Service<Part>> = {}, dataDir?: string) {
  let log = "";
  const heard: string[] = [];
  const stream = (name: string) => ({
    on: (event: string) => heard.push(`${name} ${event}`),
    write: (line: string) => {
      log += line;
      return true;
    },
  });
  const stop = vi.fn<Part["stop"]>(async () => undefined);
  const before = new Map(EVENTS.map((name) => [name, process.listeners(name as "SIGINT")]));
  const send = (name: (typeof EVENTS)[number], ...args: unknown[]) => {
    for (const listener of process.listeners(name as "SIGINT"))
      if (!before.get(name)?.includes(listener)) (listener as (...all: unknown[]) => void)(...args);
  };
  const forget = () => {
    for (const name of EVENTS)
      for (const each of process.listeners(name as "SIGINT"))
        if (!before.get(name)?.includes(each)) process.off(name, each);
  };
  let isReady = (): void => undefined;
  const ready = new Promise<void>((resolve) => {
    isReady = resolve;
  });
  const ended = runService(
    {
      env: {},
      stdout: stream("stdout"),
      stderr: stream("stderr"),
      beforeLog: () => {
        log += "|";
      },
    } as never,
    { dataDir, values: { verbosity: 3, logFormat: "text" } },
    {
      start: async () => ({ stop }),
      onReady: () => isReady(),
      exitCode: () => 0,
      ...service,
    },
  ).finally(forget);
  return { ended, stop, send, heard, ready, log: () => log };
}

const exit = () => vi.spyOn(process, "exit").mockImplementation((() => undefined) as never);
beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => {
  vi.useRealTimers();
  process.exitCode = undefined;
});

describe("a service", () => {
  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("stops once on %s, and logs it", async (name) => {
    const { ended, ready, send, stop, log, heard } = scene({ exitCode: () => 7 });
    await ready;
    send(name, name);
    expect(await ended).toBe(7);
    expect(stop).toHaveBeenCalledTimes(1);
    expect(log()).toMatch(new RegExp(`^\\|[^\n]*stopping[^\n]*${name}`));
    expect(heard).toEqual(["stdout error", "stderr error"]);
  });

  it("that ends by itself is stopped too", async () => {
    const { ended, stop } = scene({ ended: () => Promise.resolve(), exitCode: () => 75 });
    expect(await ended).toBe(75);
    expect(stop).toHaveBeenCalledTimes(1);
  });

  it("that gets a signal while starting is stopped without becoming ready", async () => {
    let start = (_: Part): void => undefined;
    const stop = vi.fn<Part["stop"]>(async () => undefined);
    const onReady = vi.fn();
    const { ended, send } = scene({
      start: () =>
        new Promise((resolve) => {
          start = resolve;
        }),
      onReady,
    });
    send("SIGINT", "SIGINT");
    await Promise.resolve();
    start({ stop });
    expect(await ended).toBe(0);
    expect(stop).toHaveBeenCalledTimes(1);
    expect(onReady).not.toHaveBeenCalled();
  });

  it("fails if it does not start, or does not stop", async () => {
    await expect(scene({ start: () => Promise.reject(new Error("port")) }).ended).rejects.toThrow("port");
    const stop = () => Promise.reject(new Error("disk"));
    const failing = { start: async () => ({ stop }), ended: () => Promise.resolve() };
    await expect(scene(failing).ended).rejects.toThrow("disk");
    const fenced = scene({ ...failing, exitCode: () => 75 });
    expect(await fenced.ended).toBe(75);
    expect(fenced.log()).toMatch(/the node has not stopped cleanly[^\n]*disk/);
  });

  it("is killed nine seconds after the signal, or by a second signal", async () => {
    const exiting = exit();
    const { send, ready, log } = scene({ start: async () => ({ stop: () => new Promise(() => undefined) }) });
    await ready;
    send("SIGTERM", "SIGTERM");
    await vi.advanceTimersByTimeAsync(8_999);
    expect(exiting).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(exiting.mock.calls).toEqual([[1]]);
    expect(log()).toMatch(/did not stop in time and is killed[^\n]*\b9\b/);
    send("SIGTERM", "SIGTERM");
    expect(exiting.mock.calls[1]).toEqual([130]);
  });

  it("that has stopped is not killed afterwards", async () => {
    const exiting = exit();
    const { ended } = scene({ ended: () => Promise.resolve() });
    await ended;
    await vi.advanceTimersByTimeAsync(20_000);
    expect(exiting).not.toHaveBeenCalled();
  });
});

describe("an uncaught error", () => {
  it.each([
    ["uncaughtException", "uncaught exception"],
    ["unhandledRejection", "unhandled rejection"],
  ] as const)(
    "%s writes a crash file and shuts the service down with code 70, once",
    async (event, cause) => {
      const exiting = exit();
      const folder = newFolder();
      const { send, ready, stop, log } = scene({}, folder);
      await ready;
      send(event, new TypeError("odd"));
      send(event, new TypeError("odder"));
      await vi.advanceTimersByTimeAsync(0);
      const [name, ...more] = readdirSync(folder);
      expect(more).toEqual([]);
      expect(readFileSync(`${folder}/${name}`, "utf8")).toContain(`${cause}\n`);
      expect(log()).toContain(name);
      expect(stop).toHaveBeenCalledTimes(1);
      expect(exiting.mock.calls).toEqual([[70]]);
      expect(process.exitCode).toBe(70);
    },
  );

  it("writes no crash file for a chain in memory, and kills a service that does not stop within five seconds", async () => {
    const exiting = exit();
    const start = async () => ({ stop: () => new Promise<void>(() => undefined) });
    const { send, ready, log } = scene({ start });
    await ready;
    send("uncaughtException", new TypeError("odd"));
    await vi.advanceTimersByTimeAsync(4_999);
    expect(exiting).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(exiting.mock.calls).toEqual([[70]]);
    expect(log()).not.toContain("crash file");
  });

  it("is logged even if its crash file cannot be written", async () => {
    exit();
    const { send, ready, log } = scene({}, "/dev/null/none");
    await ready;
    send("uncaughtException", new TypeError("odd"));
    expect(log()).toMatch(/internal error[^\n]*odd/);
    expect(log()).toContain("the crash file could not be written");
  });
});
