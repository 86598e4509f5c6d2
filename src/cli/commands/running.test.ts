import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, vi } from "vitest";
import { ActivityPrinter } from "../activity/activity-printer.ts";
import { kairn, newFolder, startKairn } from "../testing/kairn.ts";
// preloaded, so that no test waits for them
import "./attach.ts";
import "./console.ts";
import "./dev.ts";
import "./node.ts";

const DEV = ["dev", "--ephemeral", "--rpcport", "0", "--wsport", "0", "--ipcdisable"];
const genesisFile = fileURLToPath(
  new URL("../../../test/fixtures/chains/bft4/genesis.json", import.meta.url),
);
const genesis = JSON.parse(readFileSync(genesisFile, "utf8"));

/** Calls a method at a URL. */
async function call(url: string, method: string, ...params: unknown[]) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  return ((await response.json()) as { result: unknown }).result;
}

it("a development node shows accounts and endpoints, prints activity, and ends on a signal", async () => {
  const banner = join(newFolder(), "banner.json");
  const running = startKairn([...DEV, "--accounts", "2", "--config-out", banner]);
  await running.shows("Ctrl-C stops the node; the chain is discarded.");
  const { stdout } = running.printed;
  for (const line of [/^ {2}\(0\) 0x[0-9a-f]{40} {2}0x[0-9a-f]{64}$/m, /^ {2}Mnemonic +test( \w+){11}$/m])
    expect(stdout).toMatch(line);
  expect(stdout).toMatch(/^ {2}Path +m\/44'\/60'\/0'\/0\/…$/m);
  expect(stdout).toMatch(/^ {2}Data +in memory$/m);
  expect(stdout).not.toContain("(2) 0x");
  expect(stdout).toMatch(/^ {2}Dashboard +http:/m);
  expect(statSync(banner).mode & 0o777).toBe(0o600);
  const data = JSON.parse(readFileSync(banner, "utf8"));
  expect(data).toMatchObject({ blockNumber: 0, dataDir: null, accounts: [{}, {}] });
  expect(stdout).toContain(`  HTTP        ${data.endpoints.http}\n`);
  const [{ address: from }, { address: to }] = data.accounts;
  const hash = await call(data.endpoints.http, "eth_sendTransaction", { from, to, value: "0x1" });
  await running.shows(`${hash}`);
  expect(running.printed.stdout).toMatch(new RegExp(`^ {2}✔ \\w+ {2}${hash}$`, "m"));
  running.signal("SIGINT");
  expect(await running.ended).toBe(0);
});

it("a development node prints everything in JSON, or nothing after the banner", async () => {
  const json = startKairn([...DEV, "--json"]);
  await json.shows("\n");
  const { endpoints, accounts, chainId } = JSON.parse(json.printed.stdout);
  expect([accounts.length, chainId]).toEqual([10, 1337]);
  await call(endpoints.http, "eth_chainId");
  await json.shows('{"event":"call","method":"eth_chainId"');
  json.signal("SIGTERM");
  expect(await json.ended).toBe(0);
  const quiet = startKairn([...DEV, "--quiet"]);
  await quiet.shows("Ctrl-C");
  const { stdout } = quiet.printed;
  const http = /HTTP +(\S+)/.exec(stdout)?.[1] as string;
  await call(http, "eth_sendTransaction", { from: /0x[0-9a-f]{40}/.exec(stdout)?.[0], value: "0x0" });
  quiet.signal("SIGTERM");
  expect(await quiet.ended).toBe(0);
  expect(quiet.printed.stdout).toBe(stdout);
});

it("a development node flushes its held-back output before it ends, and finishes its line before a log line", async () => {
  const interrupted = vi.spyOn(ActivityPrinter.prototype, "interrupt");
  const running = startKairn([...DEV, "--verbosity", "3"]);
  await running.shows("Ctrl-C");
  const http = /HTTP +(\S+)/.exec(running.printed.stdout)?.[1] as string;
  await call(http, "eth_chainId");
  expect(running.printed.stdout).not.toContain("eth_chainId");
  interrupted.mockClear();
  running.signal("SIGTERM");
  await expect.poll(() => running.printed.stderr).toContain("stopping");
  expect(interrupted).toHaveBeenCalled();
  expect(await running.ended).toBe(0);
  expect(running.printed.stdout.endsWith("\n  eth_chainId\n")).toBe(true);
});

it("a development chain is kept in --datadir, and is never a public network", async () => {
  const folder = join(newFolder(), "data");
  const flags = ["--rpcport", "0", "--wsport", "0", "--datadir", folder];
  const running = startKairn(["dev", ...flags]);
  await running.shows("the chain is kept.");
  expect(running.printed.stdout).toContain(`  Data        ${folder}\n`);
  expect(running.printed.stdout).toContain(`  IPC         ${join(folder, "klay.ipc")}\n`);
  running.signal("SIGINT");
  expect(await running.ended).toBe(0);
  expect(existsSync(join(folder, "chaindata"))).toBe(true);
  for (const flag of ["--mainnet", "--testnet"])
    expect(await kairn(["dev", flag])).toMatchObject({
      code: 2,
      stderr: "kairn: --mainnet and --testnet are public networks; run them with kairn node\n",
    });
});

it("a node prints one line when it starts, and serves until it is stopped", async () => {
  const folder = newFolder();
  expect((await kairn(["init", "--datadir", folder, genesisFile])).code).toBe(0);
  const flags = ["--rpc", "--rpcport", "0", "--port", "0", "--nodiscover", "--netrestrict", "127.0.0.0/8"];
  const running = startKairn(["node", "--datadir", folder, ...flags], { P2P_ADDR: "127.0.0.1" });
  await running.shows("\n");
  const { stdout } = running.printed;
  expect(stdout).toMatch(
    new RegExp(
      `^kairn: version \\S+, chain ${genesis.config.chainId}, block 0, forks .*, data in ${folder}, listening on `,
    ),
  );
  const http = /http:\/\/[^ ,\n]+/.exec(stdout)?.[0] as string;
  expect(await call(http, "eth_blockNumber")).toBe("0x0");
  running.signal("SIGTERM");
  expect(await running.ended).toBe(0);
});

it("a console needs exactly one endpoint that responds", async () => {
  const folder = newFolder();
  expect((await kairn(["attach", "--datadir", folder])).stderr).toContain(
    `; no node runs on ${folder}: kairn dev starts one,`,
  );
  expect((await kairn(["attach", join(folder, "klay.ipc")])).stderr).toContain(
    "; no node is reachable there: kairn dev starts one",
  );
  expect((await kairn(["attach", "a", "b"])).stderr).toBe("kairn: only one endpoint can be given: a b\n");
  expect((await kairn(["console", "a.js", "b"])).stderr).toBe(
    "kairn: b: kairn attach opens a console on a running node\n",
  );
});
