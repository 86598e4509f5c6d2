import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import type { NamedLog, Names } from "../../src/api/artifacts/names.ts";
import { createNode } from "../../src/node/index.ts";
import { checksumAddress } from "../../src/protocol/account/address.ts";
import { hexToBytes } from "../../src/protocol/primitives/hex.ts";
import {
  deploy,
  FILE,
  hardhat,
  inputOf,
  inSource,
  lineOf,
  plain,
  project,
  selectorOf,
  send,
  started,
  word,
} from "./artifacts/vault.ts";
import { runKairn, startKairn } from "./kairn-process.ts";

describe("artifacts", () => {
  it("name contracts, calls, errors and events", async () => {
    const deployed = await started();
    await using node = deployed.node;
    const { vault, from, request } = deployed;
    const names = node.artifacts?.names as Names;
    await node.artifacts?.refresh();
    const call = inputOf("Vault", "take(uint256)", 5);
    const hash = await send(deployed, { from, to: vault, data: call });
    const { logs } = (await request({ method: "eth_getTransactionReceipt", params: [hash] })) as {
      logs: { topics: string[]; data: string }[];
    };
    const at = hexToBytes(vault);
    const [log] = logs.map(({ topics, data }) => ({
      ...{ address: at, topics: topics.map(hexToBytes), data: hexToBytes(data) },
    }));
    expect(names.contract(at)).toBe("Vault");
    expect(names.call(at, hexToBytes(call))).toBe("Vault.take(amount: 5)");
    const who = checksumAddress(hexToBytes(from));
    expect(names.log(log as NamedLog)).toBe(
      `Vault.Taken(who: ${who}, amount: 5, note: ${JSON.stringify('a } brace and a " quote')})`,
    );
    const error = `0x${selectorOf("NotOwner(address,address)")}${word(from)}${word(vault)}`;
    expect(names.error(hexToBytes(error), at)).toBe(`NotOwner(who: ${who}, owner: ${checksumAddress(at)})`);
  });

  it("name what kairn dev prints", async () => {
    const folder = join(project(hardhat(plain)), "artifacts");
    const flags = ["dev", "--ephemeral", "--rpcport", "0", "--wsport", "0", "--json", "--artifacts", folder];
    const started = startKairn(flags);
    const { endpoints, accounts } = JSON.parse(await started.firstLine());
    const rpc = async (method: string, ...params: unknown[]) => {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
      const headers = { "content-type": "application/json" };
      return (await (await fetch(endpoints.http, { method: "POST", headers, body })).json()).result;
    };
    const data = `0x${plain.contracts[FILE].Vault.evm.bytecode.object}${word(0)}`;
    await rpc("eth_sendTransaction", { from: accounts[0].address, data, gas: "0x4c4b40" });
    await vi.waitFor(() => expect(started.printed.stdout).toContain('"transaction"'), { timeout: 20_000 });
    started.child.kill("SIGINT");
    await started.exited;
    const events = started.printed.stdout
      .trimEnd()
      .split("\n")
      .slice(1)
      .map((line) => JSON.parse(line));
    expect(events.find(({ event }) => event === "transaction")).toMatchObject({
      ...{ call: "new Vault(first: 0)", reason: "nothing to begin with" },
      trace: [inSource("Vault.constructor", "require(first > 0")],
    });
  });

  it("name the calls of a transaction in kairn trace, of a node queried over HTTP", async () => {
    const root = project(hardhat(plain));
    const http = { port: 0 };
    await using node = await createNode({ http, artifacts: { folders: [join(root, "artifacts")] } });
    const deployed = await deploy(node, plain);
    const { till, vault, from } = deployed;
    const trace = async (call: object, ...flags: string[]) => {
      const hash = await send(deployed, call);
      const all = [
        "trace",
        hash,
        "--rpc",
        node.endpoints.http as string,
        "--artifacts",
        join(root, "artifacts"),
      ];
      const { code, stdout, stderr } = await runKairn([...all, ...flags]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      return stdout;
    };
    const taken = await trace({ from, to: vault, data: inputOf("Vault", "take(uint256)", 5) });
    const who = checksumAddress(hexToBytes(from));
    const slot = (number: number) => `0x${word(number)}`;
    expect(taken.replace(/\[[0-9,]+\]|gas [0-9,]+/g, "[]")).toBe(
      [
        "  [] Vault.take(amount: 5)",
        `    ├─ emit Vault.Taken(who: ${who}, amount: 5, note: ${JSON.stringify('a } brace and a " quote')})`,
        `    ├─ storage ${slot(1)}: 0x3e8 → 0x3e3`,
        "    └─ ✔",
        "",
        "  [] · block 3",
        "",
      ].join("\n"),
    );
    const stolen = await trace({ from, to: till, data: inputOf("Till", "tryIt(uint256)", 5) });
    expect(stolen).toContain("✘ execution reverted: NotOwner(who: ");
    expect(stolen).toContain(`Till.tryIt (${FILE}:${lineOf('require(amount == 0, "gave up")')})`);
    expect(stolen.indexOf("Vault.take")).toBeLessThan(stolen.indexOf('✘ execution reverted: "gave up"'));
    const json = JSON.parse(
      await trace({ from, to: vault, data: inputOf("Vault", "take(uint256)", 5000) }, "--json"),
    );
    expect(json).toMatchObject({
      ...{ type: "CALL", contract: "Vault", call: "Vault.take(amount: 5000)", error: "execution reverted" },
      stack: [
        inSource("Vault._less", "return held - amount"),
        inSource("Vault.take", "held = _less(amount)"),
      ],
    });
  });
});
