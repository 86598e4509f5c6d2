import { describe, expect, it } from "vitest";
import { type KairnProcess, startKairn } from "./kairn-process.ts";
import { hasTerminal, Terminal } from "./terminal/terminal.ts";

const FLAGS = ["dev", "--ephemeral", "--rpcport", "0", "--wsport", "0"];
const PASSPHRASE = "correct horse battery";
const RAW_KEY = "4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318";

async function rpc(url: string, method: string, ...params: unknown[]): Promise<unknown> {
  const [answer] = (await batch(url, [{ method, params }])) as [{ result?: unknown }];
  return answer.result;
}

async function batch(url: string, calls: readonly { method: string; params: unknown[] }[]): Promise<unknown> {
  const body = JSON.stringify(calls.map((call, id) => ({ jsonrpc: "2.0", id, ...call })));
  const headers = { "content-type": "application/json" };
  return (await fetch(url, { method: "POST", headers, body })).json();
}

/** Waits until something is printed. @throws Error with what was printed after ten seconds */
async function printed({ printed }: KairnProcess, wanted: string): Promise<void> {
  for (let i = 0; !printed.stdout.includes(wanted); i++) {
    if (i === 200) throw new Error(`${wanted} is not in ${printed.stdout}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function end({ child, exited }: KairnProcess): Promise<void> {
  child.kill("SIGINT");
  expect(await exited).toBe(0);
}

describe("kairn dev prints its activity", () => {
  it("as JSON lines without a secret, after the banner", async () => {
    const node = startKairn([...FLAGS, "--json", "--rpc.unsafe-host"]);
    const { endpoints, accounts } = JSON.parse(await node.firstLine());
    const [from, to] = accounts.map(({ address }: { address: string }) => address);
    const { http } = endpoints;
    await rpc(http, "personal_importRawKey", RAW_KEY, PASSPHRASE);
    await rpc(http, "personal_importRawKey", RAW_KEY, PASSPHRASE);
    await rpc(http, "personal_unlockAccount", to, PASSPHRASE, "soon");
    const hash = await rpc(http, "eth_sendTransaction", { from, to, value: "0x1" });
    await rpc(http, "eth_call", { to, data: "0x" }, "latest", { [to]: { code: "0x60006000fd" } });
    await printed(node, '"eth_call"');
    await end(node);
    const [banner, ...lines] = node.printed.stdout.trimEnd().split("\n");
    const events = lines.map((line) => JSON.parse(line));
    const said = lines.join("\n");
    expect(JSON.parse(banner as string).chainId).toBe(1337);
    for (const secret of [PASSPHRASE, RAW_KEY, RAW_KEY.slice(0, 32)]) expect(said).not.toContain(secret);
    for (const { privateKey } of accounts) expect(said).not.toContain(privateKey.slice(2));
    expect(events.filter(({ event }) => event === "transaction")).toMatchObject([
      { hash, from, to, value: "1" },
    ]);
    expect(events.filter(({ method }) => method === "eth_call")).toMatchObject([{ to, error: { code: 3 } }]);
    expect(events.filter(({ method }) => method?.startsWith("personal_"))).toHaveLength(3);
  });

  it("not at all with --quiet", async () => {
    const node = startKairn([...FLAGS, "--json", "--quiet"]);
    const { endpoints, accounts } = JSON.parse(await node.firstLine());
    await rpc(endpoints.http, "eth_sendTransaction", { from: accounts[0].address, to: accounts[1].address });
    await end(node);
    expect(node.printed.stdout.trimEnd().split("\n")).toHaveLength(1);
  });

  it("continues when nobody reads, and reports how much was omitted", async () => {
    const node = startKairn([...FLAGS, "--json"]);
    const { endpoints } = JSON.parse(await node.firstLine());
    const { stdout } = node.child;
    stdout?.pause();
    for (let i = 0; i < 30; i++) {
      const calls = Array.from({ length: 500 }, (_, n) => ({
        method: `eth_${i}_${n}_`.padEnd(99, "x"),
        params: [],
      }));
      await batch(endpoints.http, calls);
    }
    expect(await rpc(endpoints.http, "eth_chainId")).toBe("0x539");
    stdout?.resume();
    await printed(node, '"leftOut"');
    await end(node);
    const lines = node.printed.stdout
      .trimEnd()
      .split("\n")
      .slice(1)
      .map((line) => JSON.parse(line));
    const leftOut = lines.reduce((sum, { events = 0 }) => sum + events, 0);
    expect(leftOut).toBeGreaterThan(1000);
    expect(lines.filter(({ event }) => event === "call").length + leftOut).toBe(15_001);
  });

  it.skipIf(!hasTerminal)("on a terminal, until Ctrl-C", async () => {
    await using terminal = new Terminal(...FLAGS);
    const shown = await terminal.expect(/HTTP +http:\S+\n/);
    const url = shown.match(/http:\S+/)?.[0] as string;
    await terminal.expect("Ctrl-C stops the node");
    const [from, to] = (await rpc(url, "eth_accounts")) as string[];
    for (let i = 0; i < 5; i++) await rpc(url, "eth_blockNumber");
    await rpc(url, "eth_sendTransaction", { from, to, value: "0x14d1120d7b160000" });
    expect(await terminal.expect(/· block 1\n/)).toMatch(
      /✔ EthereumDynamicFee {2}0x[0-9a-f]{64}\n.* 1\.5 KAIA\n/,
    );
    terminal.type("\u0003");
    expect(await terminal.exit).toBe(0);
  });
});
