import { readFileSync } from "node:fs";
// @ts-expect-error the compiler has no types of its own
import solc from "solc";

const source = readFileSync(new URL("./token.sol", import.meta.url), "utf8");

interface Compiled {
  // biome-ignore lint/suspicious/noExplicitAny: every client has its own type for an ABI
  readonly abi: any;
  readonly bytecode: `0x${string}`;
}

/** The token of `token.sol`, compiled with solc as a developer would. */
export const token: Compiled = compile();

function compile(): Compiled {
  const input = {
    language: "Solidity",
    sources: { "token.sol": { content: source } },
    settings: {
      outputSelection: { "*": { "*": ["abi", "evm.bytecode.object"] } },
      optimizer: { enabled: true },
    },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input)));
  const { Token } = output.contracts["token.sol"];
  return { abi: Token.abi, bytecode: `0x${Token.evm.bytecode.object}` };
}
