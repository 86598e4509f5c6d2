import { readFileSync } from "node:fs";
// @ts-expect-error the compiler has no types of its own
import solc from "solc";

interface Compiled {
  // biome-ignore lint/suspicious/noExplicitAny: each client has its own type for an ABI
  readonly abi: any;
  readonly bytecode: `0x${string}`;
  /** The runtime code. */
  readonly code: `0x${string}`;
}

/** The token of `token.sol`, compiled with solc as a developer would. */
export const token: Compiled = compile("token.sol", "Token");

/** A contract of a file beside this one, compiled with solc. */
export function compile(file: string, name: string): Compiled {
  const content = readFileSync(new URL(file, import.meta.url), "utf8");
  const input = {
    language: "Solidity",
    sources: { [file]: { content } },
    settings: {
      outputSelection: { "*": { "*": ["abi", "evm.bytecode.object", "evm.deployedBytecode.object"] } },
      optimizer: { enabled: true },
    },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input)));
  const { abi, evm } = output.contracts[file][name];
  return { abi, bytecode: `0x${evm.bytecode.object}`, code: `0x${evm.deployedBytecode.object}` };
}
