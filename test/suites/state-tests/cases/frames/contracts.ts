import { bytesToBigint, concat } from "../../../../../src/protocol/primitives/bytes.ts";
import { type StateCase, TARGET, type Theme } from "../case.ts";
import { SENDER } from "../keys.ts";
import { call, give, hex, words, write } from "../program.ts";

const OTHER = 0xb0b;

const THIRD = 0xcab;

/** Jumps by the first four bytes of the input, as compilers lay it out. */
function dispatcher(functions: Readonly<Record<string, string>>): string {
  const names = Object.keys(functions);
  const tests = names.map((selector) => `DUP1 0x${selector} EQ @f${selector} JUMPI`).join(" ");
  const bodies = names.map((selector) => `f${selector}: POP ${functions[selector]}`).join(" ");
  return `0x${"01".padEnd(58, "0")} 0 CALLDATALOAD DIV ${tests} 0 0 REVERT ${bodies}`;
}

/** Source that puts the hash of a key and a slot's number on the stack: the slot of a mapping's value. */
const mapped = (key: string, slot: number) => `${key} 0 MSTORE ${slot} 32 MSTORE 64 0 SHA3`;

const TOKEN = dispatcher({
  a9059cbb: `${mapped("CALLER", 0)} DUP1 SLOAD 36 CALLDATALOAD DUP2 DUP2 GT @poor JUMPI SWAP1 SUB SWAP1 SSTORE
    ${mapped("4 CALLDATALOAD", 0)} DUP1 SLOAD 36 CALLDATALOAD ADD SWAP1 SSTORE
    36 CALLDATALOAD 0 MSTORE 4 CALLDATALOAD CALLER 0xddf252ad 32 0 LOG3 1 0 MSTORE ${give()} poor: 0 0 REVERT`,
  "70a08231": `${mapped("4 CALLDATALOAD", 0)} SLOAD 0 MSTORE ${give()}`,
  "40c10f19": `${mapped("4 CALLDATALOAD", 0)} DUP1 SLOAD 36 CALLDATALOAD ADD SWAP1 SSTORE STOP`,
});

/** Input of a function: four bytes and words. */
const invoke = (selector: string, ...values: (number | bigint)[]) => concat(hex(selector), words(...values));

const solidity: Theme = {
  directory: "stSolidityTest",
  cases: [
    {
      name: "token",
      about: "a token: mappings by hash, an event, a refusal, an unknown function",
      forks: ["Byzantium", "Istanbul", "Berlin", "Osaka"],
      code: TOKEN,
      data: [
        invoke("40c10f19", 5, 100),
        invoke("a9059cbb", 6, 1),
        invoke("a9059cbb", 6, 0),
        invoke("70a08231", 5),
        invoke("deadbeef", 1),
        hex("a9059c"),
      ],
      gas: [150_000],
    },
    {
      name: "tokenByContract",
      about: "mint, transfer and read back through calls",
      forks: ["Byzantium", "Istanbul", "Osaka"],
      code: `${write(invoke("40c10f19", TARGET, 50))} ${call("CALL", OTHER, { input: [0, 68] })} 0 SSTORE ${write(invoke("a9059cbb", 7, 20))} ${call("CALL", OTHER, { input: [0, 68], output: [0, 32] })} 1 SSTORE
        ${write(invoke("70a08231", TARGET))} ${call("STATICCALL", OTHER, { input: [0, 36], output: [0, 32] })} 2 SSTORE 0 MLOAD 3 SSTORE ${write(invoke("a9059cbb", 7, 31))} ${call("CALL", OTHER, { input: [0, 68] })} 4 SSTORE`,
      accounts: { [OTHER]: { nonce: 1n, code: TOKEN } },
    },
    {
      name: "reasonOfRevert",
      about: "an error with a reason travels up two calls",
      forks: ["Byzantium", "Osaka"],
      code: `${call("CALL", OTHER)} 0 SSTORE RETURNDATASIZE 0 0 RETURNDATACOPY RETURNDATASIZE 1 SSTORE 4 MLOAD 2 SSTORE 68 MLOAD 3 SSTORE`,
      accounts: {
        [OTHER]: {
          code: `${call("CALL", THIRD)} POP RETURNDATASIZE 0 0 RETURNDATACOPY RETURNDATASIZE 0 REVERT`,
        },
        [THIRD]: {
          code: `${write(concat(hex("08c379a0"), words(32, 4), hex(`6e6f7065${"00".repeat(28)}`)))} ${give(100, 0, "REVERT")}`,
        },
      },
    },
    {
      name: "dynamicArray",
      about: "an array in storage: length in its slot, elements from the hash of it",
      forks: ["Frontier", "Istanbul", "Osaka"],
      code: "0 CALLDATALOAD loop: DUP1 ISZERO @end JUMPI 0 SLOAD DUP1 1 ADD 0 SSTORE 0 0 MSTORE 32 0 SHA3 ADD DUP2 SWAP1 SSTORE 1 SWAP1 SUB @loop JUMP end: STOP",
      data: [words(1), words(4)],
    },
  ],
};

/** A wallet of two owners (slots 0 and 1): what one proposes (slots 2 to 4) is paid when the other confirms it. */
const WALLET = dispatcher({
  b61d27f6: `CALLER DUP1 0 SLOAD EQ SWAP1 1 SLOAD EQ OR ISZERO @no JUMPI 4 CALLDATALOAD 2 SSTORE 36 CALLDATALOAD 3 SSTORE CALLER 4 SSTORE 4 CALLDATALOAD CALLER 0 0 LOG2 STOP`,
  ba0179b5: `CALLER DUP1 0 SLOAD EQ SWAP1 1 SLOAD EQ OR ISZERO @no JUMPI 4 SLOAD ISZERO @no JUMPI CALLER 4 SLOAD EQ @no JUMPI
    0 4 SSTORE ${call("CALL", "2 SLOAD", { value: "3 SLOAD" })} ISZERO @no JUMPI STOP no: 0 0 REVERT`,
});

const PARTNER = 0xfab;

const wallet: Theme = {
  directory: "stWalletTest",
  cases: (
    [
      ["propose", {}, [invoke("b61d27f6", 0x404, 7)]],
      ["confirm", { 2: 0x404n, 3: 7n, 4: BigInt(PARTNER) }, [invoke("ba0179b5")]],
      ["confirmOwnProposal", { 2: 0x404n, 3: 7n, 4: bytesToBigint(SENDER) }, [invoke("ba0179b5")]],
      ["confirmNothing", {}, [invoke("ba0179b5"), hex("")]],
      ["confirmTooMuch", { 2: 0x404n, 3: 700n, 4: BigInt(PARTNER) }, [invoke("ba0179b5")]],
    ] as const
  ).map(
    ([name, storage, data]): StateCase => ({
      name,
      about: "a wallet of two owners pays what one proposes and the other confirms",
      forks: ["Byzantium", "Istanbul", "Berlin", "London", "Osaka"],
      code: WALLET,
      target: { balance: 100n, storage: { 0: bytesToBigint(SENDER), 1: BigInt(PARTNER), ...storage } },
      data,
      gas: [120_000],
      edges: true,
    }),
  ),
};

/** Contracts as compilers write them. */
export const CONTRACTS: readonly Theme[] = [solidity, wallet];
