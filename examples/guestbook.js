import { readFileSync } from "node:fs";
import solc from "solc";

const file = "Guestbook.sol";
const content = readFileSync(new URL(`./contracts/${file}`, import.meta.url), "utf8");
const outputSelection = { "*": { "*": ["abi", "evm.bytecode.object"] } };
const input = { language: "Solidity", sources: { [file]: { content } }, settings: { outputSelection } };
const { Guestbook } = JSON.parse(solc.compile(JSON.stringify(input))).contracts[file];

/** The contract of `contracts/Guestbook.sol`, compiled. */
export const guestbook = { abi: Guestbook.abi, bytecode: `0x${Guestbook.evm.bytecode.object}` };
