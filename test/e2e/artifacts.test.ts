import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
// @ts-expect-error the compiler has no types of its own
import solc from "solc";
import { afterAll, describe, expect, it, vi } from "vitest";
import type { NamedLog, Names } from "../../src/api/artifacts/names.ts";
import { createNode, type Node } from "../../src/node/index.ts";
import { checksumAddress } from "../../src/protocol/account/address.ts";
import { keccak256 } from "../../src/protocol/crypto/keccak.ts";
import { bytesToHex, hexToBytes } from "../../src/protocol/primitives/hex.ts";
import { runKairn, startKairn } from "./kairn-process.ts";
import { temporaryFolder } from "./started-node.ts";

const FILE = "contracts/vault.sol";
const content = readFileSync(new URL("vault.sol", import.meta.url), "utf8");
const input = (optimizer: boolean, viaIR: boolean) => ({
  language: "Solidity",
  sources: { [FILE]: { content } },
  settings: {
    outputSelection: { "*": { "*": ["abi", "evm.bytecode", "evm.deployedBytecode", "metadata"] } },
    optimizer: { enabled: optimizer },
    viaIR,
  },
});
const compiled = (optimizer: boolean, viaIR: boolean) =>
  JSON.parse(solc.compile(JSON.stringify(input(optimizer, viaIR))));
const plain = compiled(false, false);
const optimized = compiled(true, false);
const viaIr = compiled(true, true);
const selectorOf = (signature: string) =>
  bytesToHex(keccak256(new TextEncoder().encode(signature))).slice(2, 10);
const lineOf = (text: string) => content.slice(0, content.indexOf(text)).split("\n").length;

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

/** A project whose files are written as by a tool. */
function project(files: Readonly<Record<string, unknown>>): string {
  const root = temporaryFolder();
  folders.push(root);
  for (const [name, value] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), typeof value === "string" ? value : JSON.stringify(value));
  }
  return root;
}

const hardhat = (output: typeof plain, optimizer = false, viaIR = false) => ({
  "artifacts/build-info/1.json": {
    _format: "hh-sol-build-info-1",
    input: input(optimizer, viaIR),
    output,
  },
});

const foundry = (output: typeof plain) => ({
  [FILE]: content,
  ...Object.fromEntries(
    ["Vault", "Till"].map((name) => {
      const { abi, evm, metadata } = output.contracts[FILE][name];
      const artifact = {
        ...{ abi, id: 0, metadata: JSON.parse(metadata) },
        ...{ bytecode: evm.bytecode, deployedBytecode: evm.deployedBytecode },
      };
      return [`out/vault.sol/${name}.json`, artifact];
    }),
  ),
});

interface Deployed {
  readonly node: Node;
  readonly request: Node["provider"]["request"];
  readonly from: string;
  readonly other: string;
  readonly vault: string;
  readonly till: string;
}

const word = (value: number | string) => BigInt(value).toString(16).padStart(64, "0");

async function deploy(node: Node, output: typeof plain): Promise<Deployed> {
  const request: Node["provider"]["request"] = (call) => node.provider.request(call);
  const [from, other] = (await request({ method: "eth_accounts" })) as [string, string];
  const create = async (name: string, argument: string) => {
    const data = `0x${output.contracts[FILE][name].evm.bytecode.object}${argument}`;
    const hash = await request({ method: "eth_sendTransaction", params: [{ from, data, gas: "0x4c4b40" }] });
    const receipt = await request({ method: "eth_getTransactionReceipt", params: [hash] });
    return (receipt as { contractAddress: string }).contractAddress;
  };
  const vault = await create("Vault", word(1000));
  const till = await create("Till", word(vault));
  return { node, request, from, other, vault, till };
}

const withMethods = JSON.parse(
  solc.compile(
    JSON.stringify({
      ...input(false, false),
      settings: { outputSelection: { "*": { "*": ["evm.methodIdentifiers"] } } },
    }),
  ),
);

/** Input that calls a function with a number. */
function inputOf(contract: string, signature: string, amount: number): string {
  return `0x${withMethods.contracts[FILE][contract].evm.methodIdentifiers[signature]}${word(amount)}`;
}

/** The error of a call. */
async function refusal({ request }: Deployed, call: object) {
  const error = await request({ method: "eth_call", params: [call, "latest"] }).catch((refused) => refused);
  return error as { code: number; message: string; data: { message: string; data: string; stack: string } };
}

const frames = (stack: string) =>
  stack
    .split("\n")
    .slice(1)
    .map((line) => line.trim());

const inSource = (where: string, text: string) => `at ${where} (${FILE}:${lineOf(text)})`;
const CHECKED = [
  inSource("Checks.atLeast", "require(have >= want"),
  inSource("Vault.check", "Checks.atLeast(held"),
  inSource("Till._ask", "return vault.check"),
  inSource("Till.ask", "return _ask"),
];

describe.each([
  ["Hardhat", hardhat(plain)],
  ["Foundry", foundry(plain)],
  ["solc", { "artifacts/output.json": plain, [FILE]: content }],
] as const)("artifacts of %s", (_, files) => {
  it("locate in the source where a call failed", async () => {
    const root = project(files);
    await using node = await createNode({
      artifacts: { folders: [join(root, "artifacts"), join(root, "out")] },
    });
    const deployed = await deploy(node, plain);
    const { till, from } = deployed;
    const { code, message, data } = await refusal(deployed, {
      ...{ from, to: till, data: inputOf("Till", "ask(uint256)", 5000) },
    });
    expect({ code, message }).toEqual({ code: 3, message: "execution reverted: too little" });
    expect(data.data).toMatch(/^0x08c379a0/);
    expect(frames(data.stack)).toEqual(CHECKED);
    const send = { from, to: till, data: inputOf("Till", "ask(uint256)", 5000) };
    const refused = await deployed.request({ method: "eth_sendTransaction", params: [send] }).catch((e) => e);
    expect(refused).toMatchObject({ code: 3, message: "execution reverted: too little" });
    expect(frames((refused as { data: { stack: string } }).data.stack)).toEqual(CHECKED);
  });
});

describe("artifacts", () => {
  async function started(output = plain, files: Readonly<Record<string, unknown>> = hardhat(output)) {
    const root = project(files);
    const node = await createNode({ artifacts: { folders: [join(root, "artifacts"), join(root, "out")] } });
    return { ...(await deploy(node, output)), root };
  }
  const send = async ({ request }: Deployed, call: object) =>
    (await request({ method: "eth_sendTransaction", params: [{ ...call, gas: "0x4c4b40" }] })) as string;

  it("locate failures in a modifier, a panic, a creation and a caught call", async () => {
    const deployed = await started();
    await using node = deployed.node;
    const { vault, till, from, other } = deployed;
    const traceOf = async (call: object) =>
      node.artifacts?.stackTrace(hexToBytes(await send(deployed, call)));
    const take = inputOf("Vault", "take(uint256)", 5);
    expect(await traceOf({ from: other, to: vault, data: take })).toEqual([
      inSource("Vault.onlyOwner", "if (msg.sender != owner) revert"),
    ]);
    expect(await traceOf({ from, to: vault, data: inputOf("Vault", "take(uint256)", 5000) })).toEqual([
      inSource("Vault._less", "return held - amount"),
      inSource("Vault.take", "held = _less(amount)"),
    ]);
    expect(await traceOf({ from, to: till, data: inputOf("Till", "steal(uint256)", 5) })).toEqual([
      inSource("Vault.onlyOwner", "if (msg.sender != owner) revert"),
      inSource("Till.steal", "vault.take(amount);\n    }\n\n    function tryIt"),
    ]);
    expect(await traceOf({ from, to: till, data: inputOf("Till", "tryIt(uint256)", 5) })).toEqual([
      inSource("Till.tryIt", 'require(amount == 0, "gave up")'),
    ]);
    const creation = `0x${plain.contracts[FILE].Vault.evm.bytecode.object}${word(0)}`;
    expect(await traceOf({ from, data: creation })).toEqual([
      inSource("Vault.constructor", "require(first > 0"),
    ]);
    expect(await traceOf({ from, to: vault, data: take })).toEqual([]);
  });

  it("locate failures in optimized code", async () => {
    const deployed = await started(optimized, hardhat(optimized));
    await using _ = deployed.node;
    const { till, from } = deployed;
    const { data } = await refusal(deployed, { from, to: till, data: inputOf("Till", "ask(uint256)", 5000) });
    expect(frames(data.stack)).toEqual(CHECKED);
  });

  it("name at least the function if optimization lost the location", async () => {
    const deployed = await started(viaIr, hardhat(viaIr, true, true));
    await using _ = deployed.node;
    const { vault, from } = deployed;
    const { data } = await refusal(deployed, {
      from,
      to: vault,
      data: inputOf("Vault", "check(uint256)", 5000),
    });
    expect(frames(data.stack)).toEqual([inSource("Vault.check", "contract Vault is IVault")]);
  });

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

  it("are read again when they change", async () => {
    const deployed = await started(plain, {});
    await using _ = deployed.node;
    const { till, from, root } = deployed;
    const call = { from, to: till, data: inputOf("Till", "ask(uint256)", 5000) };
    expect((await refusal(deployed, call)).data).toMatch(/^0x08c379a0/);
    mkdirSync(join(root, "artifacts"));
    writeFileSync(
      join(root, "artifacts", "output.json"),
      JSON.stringify(hardhat(plain)["artifacts/build-info/1.json"]),
    );
    await vi.waitFor(
      async () => expect(frames((await refusal(deployed, call)).data.stack)).toEqual(CHECKED),
      {
        timeout: 20_000,
        interval: 200,
      },
    );
  });
});
