import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
// @ts-expect-error the compiler has no types of its own
import solc from "solc";
import { onTestFinished } from "vitest";
import { createNode, type Node } from "../../../src/node/index.ts";
import { keccak256 } from "../../../src/protocol/crypto/keccak.ts";
import { bytesToHex } from "../../../src/protocol/primitives/hex.ts";
import { temporaryFolder } from "../started-node.ts";

/** Name of the source in the project. */
export const FILE = "contracts/vault.sol";
export const content = readFileSync(new URL("vault.sol", import.meta.url), "utf8");
const input = (optimizer: boolean, viaIR: boolean) => ({
  language: "Solidity",
  sources: { [FILE]: { content } },
  settings: {
    outputSelection: { "*": { "*": ["abi", "evm.bytecode", "evm.deployedBytecode", "metadata"] } },
    optimizer: { enabled: optimizer },
    viaIR,
  },
});
/** Output of the compiler for the project's only source. */
export const compiled = (optimizer: boolean, viaIR: boolean) =>
  JSON.parse(solc.compile(JSON.stringify(input(optimizer, viaIR))));
/** The same without optimization. */
export const plain = compiled(false, false);
/** Selector of a signature: eight hex digits. */
export const selectorOf = (signature: string) =>
  bytesToHex(keccak256(new TextEncoder().encode(signature))).slice(2, 10);
/** Line of the source with this text, from 1. */
export const lineOf = (text: string) => content.slice(0, content.indexOf(text)).split("\n").length;

/** A project whose files are written as by a tool. */
export function project(files: Readonly<Record<string, unknown>>): string {
  const root = temporaryFolder();
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [name, value] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), typeof value === "string" ? value : JSON.stringify(value));
  }
  return root;
}

/** Files that Hardhat writes. */
export const hardhat = (output: typeof plain, optimizer = false, viaIR = false) => ({
  "artifacts/build-info/1.json": {
    _format: "hh-sol-build-info-1",
    input: input(optimizer, viaIR),
    output,
  },
});

/** Files that Foundry writes. */
export const foundry = (output: typeof plain) => ({
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

/** A number as a word of 64 hex digits. */
export const word = (value: number | string) => BigInt(value).toString(16).padStart(64, "0");

/** Deploys both contracts. */
export async function deploy(node: Node, output: typeof plain): Promise<Deployed> {
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
export function inputOf(contract: string, signature: string, amount: number): string {
  return `0x${withMethods.contracts[FILE][contract].evm.methodIdentifiers[signature]}${word(amount)}`;
}

/** The error of a call. */
export async function refusal({ request }: Deployed, call: object) {
  const error = await request({ method: "eth_call", params: [call, "latest"] }).catch((refused) => refused);
  return error as { code: number; message: string; data: { message: string; data: string; stack: string } };
}

/** Frames of a stack trace. */
export const frames = (stack: string) =>
  stack
    .split("\n")
    .slice(1)
    .map((line) => line.trim());

/** The frame whose line has this text. */
export const inSource = (where: string, text: string) => `at ${where} (${FILE}:${lineOf(text)})`;
/** Frames of a call of `ask` that asks for too much. */
export const CHECKED = [
  inSource("Checks.atLeast", "require(have >= want"),
  inSource("Vault.check", "Checks.atLeast(held"),
  inSource("Till._ask", "return vault.check"),
  inSource("Till.ask", "return _ask"),
];

/** Starts a node that reads the artifacts of a new project, and deploys the contracts. */
export async function started(output = plain, files: Readonly<Record<string, unknown>> = hardhat(output)) {
  const root = project(files);
  const node = await createNode({ artifacts: { folders: [join(root, "artifacts"), join(root, "out")] } });
  return { ...(await deploy(node, output)), root };
}

/** Sends a transaction. @returns its hash */
export const send = async ({ request }: Deployed, call: object) =>
  (await request({ method: "eth_sendTransaction", params: [{ ...call, gas: "0x4c4b40" }] })) as string;
