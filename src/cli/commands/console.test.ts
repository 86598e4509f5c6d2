import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeEach, expect, it, vi } from "vitest";
import * as consoles from "../../api/console/console.ts";
import { openConsole } from "../console/open-console.ts";
import { kairn, newFolder, startKairn } from "../testing/kairn.ts";
// preloaded, so that no test waits for it
import "./console.ts";

const DEV = ["console", "--dev", "--rpcport", "0", "--wsport", "0", "--ipcdisable"];
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const listeners = () => SIGNALS.map((name) => process.listeners(name));

/** Stands in for the console, whose worker exists only in a built program. */
const runConsole = vi.fn<typeof consoles.runConsole>();
beforeEach(() => {
  runConsole.mockReset();
  vi.spyOn(consoles, "runConsole").mockImplementation(runConsole);
});

it("opens on a development chain, kept only where a folder is given", async () => {
  const folder = join(newFolder(), "data");
  const flags = ["--datadir", folder, "--accounts", "3"];
  runConsole.mockImplementation(async ({ request, stdout, endpoint, historyFile }) => {
    expect([endpoint, historyFile]).toEqual(["this process", join(folder, "history")]);
    const accounts = await request("eth_accounts", []);
    await request("anvil_mine", [2]);
    stdout.write(`${(accounts as unknown[]).length} ${await request("eth_blockNumber", [])}`);
    return 0;
  });
  const opened = { code: 0, stdout: "3 0x2" };
  expect(await kairn([...DEV, ...flags, "--ephemeral"])).toMatchObject(opened);
  expect(existsSync(join(folder, "chaindata"))).toBe(false);
  expect(await kairn([...DEV, ...flags])).toMatchObject(opened);
  expect(existsSync(join(folder, "chaindata"))).toBe(true);
});

it("runs what the flags and arguments name, and ends with its code", async () => {
  runConsole.mockResolvedValue(1);
  const folder = newFolder();
  const args = ["a.js", "b.mjs", "--preload", "c.js,d.js", "--jspath", folder, "--exec", "1 + 1"];
  expect((await kairn([...DEV, "--ephemeral", ...args], { NO_COLOR: "1" })).code).toBe(1);
  expect(runConsole.mock.lastCall?.[0]).toMatchObject({
    ...{ scripts: ["a.js", "b.mjs"], preload: ["c.js", "d.js"], scriptFolder: resolve(folder) },
    ...{ exec: "1 + 1", colors: false },
  });
});

it.each([
  ["SIGINT", 130],
  ["SIGTERM", 0],
] as const)("is left by %s with code %i", async (name, code) => {
  runConsole.mockImplementation(async ({ signal, stdout }) => {
    stdout.write("open");
    await new Promise((left) => signal.addEventListener("abort", left));
    return 0;
  });
  const running = startKairn([...DEV, "--ephemeral"]);
  await running.shows("open");
  running.signal(name);
  expect(await running.ended).toBe(code);
});

it("listens to signals only while it is open", async () => {
  const before = listeners();
  runConsole.mockImplementation(async () => {
    expect(listeners().map(({ length }) => length)).toEqual(before.map(({ length }) => length + 1));
    return 7;
  });
  const target = { request: async () => null, endpoint: "here", dataDir: "/", scripts: [] };
  const flags = { exec: undefined, preload: [], scriptFolder: "." };
  const { stdout, stderr } = process;
  expect(await openConsole(target, flags, { env: {}, stdout, stderr })).toBe(7);
  expect(listeners()).toEqual(before);
});
