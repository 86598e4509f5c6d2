import type { EthereumFork } from "../../../../../src/ledger/evm/tables/ethereum-rules.ts";
import { saltedContractAddress } from "../../../../../src/protocol/account/address.ts";
import { keccak256 } from "../../../../../src/protocol/crypto/keccak.ts";
import { bigintToFixedBytes } from "../../../../../src/protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../../../src/protocol/primitives/hex.ts";
import { since, TARGET, type Theme } from "../case.ts";
import { call, create, deploy, deployBytes, hex, repeat, store, words } from "../program.ts";

const SPREAD: readonly EthereumFork[] = [
  "Frontier",
  "Homestead",
  "EIP158",
  "Istanbul",
  "Berlin",
  "Shanghai",
  "Osaka",
];

const TARGET_BYTES = bigintToFixedBytes(BigInt(TARGET), 20);

const OTHER = 0xb0b;

/** Creates from the transaction's input: with value by CREATE2, else by CREATE. */
const CREATOR = `CALLDATASIZE 0 0 CALLDATACOPY CALLVALUE @salted JUMPI CALLDATASIZE 0 0 CREATE DUP1 0 SSTORE EXTCODESIZE 1 SSTORE STOP
  salted: 7 CALLDATASIZE 0 0 CREATE2 DUP1 0 SSTORE EXTCODESIZE 1 SSTORE`;

const codeSize: Theme = {
  directory: "stCodeSizeLimit",
  cases: [
    {
      name: "deployedCode",
      about: "24,576 bytes of code are the most from EIP-158 on",
      forks: ["Homestead", "EIP158", "Byzantium", "London", "Osaka"],
      to: null,
      data: [deployBytes(24_575), deployBytes(24_576), deployBytes(24_577), deployBytes(32_768)],
      gas: [8_000_000],
    },
    {
      name: "createdByContract",
      about: "the limit holds for CREATE and CREATE2",
      forks: ["Constantinople", "Shanghai", "Osaka"],
      code: CREATOR,
      data: [deployBytes(24_576), deployBytes(24_577)],
      gas: [8_000_000],
      value: [0n, 1n],
    },
    {
      name: "initCodeOfTransaction",
      about: "49,152 bytes of init code are the most from Shanghai on; a longer one is refused",
      forks: ["Paris", "Shanghai", "Osaka"],
      to: null,
      data: [new Uint8Array(49_152), new Uint8Array(49_153)],
      gas: [1_000_000],
      edges: true,
    },
    {
      name: "initCodeOfContract",
      about: "CREATE and CREATE2 with more than 49,152 bytes of init code fail with all gas from Shanghai on",
      forks: ["Paris", "Shanghai", "Cancun", "Osaka"],
      code: `${call("CALL", OTHER, { gas: 400_000, input: [0, 0] })} 0 SSTORE ${call("CALL", OTHER + 1, { gas: 400_000 })} 1
        SSTORE ${call("CALL", OTHER + 2, { gas: 400_000 })} 2 SSTORE`,
      accounts: {
        [OTHER]: { code: "49152 0 0 CREATE 0 SSTORE" },
        [OTHER + 1]: { code: "49153 0 0 CREATE 0 SSTORE" },
        [OTHER + 2]: { code: "0 49153 0 0 CREATE2 0 SSTORE" },
      },
      gas: [2_000_000],
    },
  ],
};

const initCode: Theme = {
  directory: "stInitCodeTest",
  cases: [
    {
      name: "firstByteEf",
      about: "code that begins with 0xef is refused from London on",
      forks: ["Berlin", "London", "Cancun", "Osaka"],
      to: null,
      data: [
        deployBytes(1, 0xef),
        deployBytes(10, 0xef),
        deployBytes(0, 0xef),
        deployBytes(1, 0xee),
        deployBytes(23, 0xef),
      ],
      gas: [100_000],
    },
    {
      name: "firstByteEfOfContract",
      about: "the same for CREATE and CREATE2",
      forks: ["Berlin", "London", "Osaka"],
      code: CREATOR,
      data: [deployBytes(3, 0xef), deployBytes(3, 0xfe)],
      gas: [2_000_000],
      value: [0n, 1n],
    },
    {
      name: "seesNoInput",
      about: "init code has no input; its data is part of the code",
      forks: SPREAD,
      to: null,
      data: ["CALLDATASIZE 0 SSTORE 0 CALLDATALOAD 1 SSTORE CODESIZE 2 SSTORE"],
    },
    {
      name: "callsItself",
      about: "while it is made a contract has no code to call",
      forks: SPREAD,
      to: null,
      data: [`${store(0, call("CALL", "ADDRESS"))} ADDRESS EXTCODESIZE 1 SSTORE`],
      gas: [200_000],
    },
    {
      name: "pricePerWord",
      about: "2 gas for every word of init code from Shanghai on",
      forks: ["Paris", "Shanghai", "Osaka"],
      to: null,
      data: [1, 31, 32, 33, 320].map((size) => new Uint8Array(size)),
      gas: [100_000],
      edges: true,
    },
    {
      name: "transfersToNew",
      about:
        "a transaction's value reaches the new account before its init code, and returns when that fails",
      forks: SPREAD,
      to: null,
      data: [
        `${store(0, "ADDRESS BALANCE")} ${store(1, call("CALL", OTHER, { value: 1 }))}`,
        "1 0 SSTORE INVALID",
      ],
      value: [0n, 7n],
    },
  ],
};

const codeCopy: Theme = {
  directory: "stCodeCopyTest",
  cases: [
    {
      name: "extCodeCopy",
      about: "other code is copied with zeros beyond its end, and nothing of absent accounts",
      forks: ["Frontier", "EIP150", "Berlin", "Osaka"],
      code: repeat(
        4,
        (i) =>
          `40 ${[0, 3, 100, 2n ** 255n][i]} ${i * 64} ${[OTHER, OTHER, OTHER, 0x404][i]} EXTCODECOPY ${i * 64} MLOAD ${i} SSTORE`,
      ),
      accounts: { [OTHER]: { code: hex("0102030405060708090a0b0c0d0e0f") } },
      edges: true,
    },
    {
      name: "copyGas",
      about: "3 gas a word and the memory; the account's price by fork",
      forks: since("Frontier"),
      code: `GAS 0 CALLDATALOAD 0 32 ${OTHER} EXTCODECOPY GAS SWAP1 SUB 0 SSTORE GAS 0 CALLDATALOAD 0 0 CODECOPY GAS SWAP1 SUB 1 SSTORE`,
      data: [words(0), words(1), words(33), words(3000)],
      accounts: { [OTHER]: { code: "STOP" } },
    },
  ],
};

const codeHash: Theme = {
  directory: "stExtCodeHash",
  cases: [
    {
      name: "kindsOfAccounts",
      about:
        "hash of code, of no code, zero for absent and empty accounts; precompiles with and without balance",
      forks: ["Byzantium", "Constantinople", "Istanbul", "Berlin", "Cancun", "Osaka"],
      code: repeat(8, (i) =>
        store(i, `${[OTHER, OTHER + 1, OTHER + 2, OTHER + 3, 1, 2, 9, "ADDRESS"][i]} EXTCODEHASH`),
      ),
      accounts: {
        [OTHER]: { code: "1 2 3" },
        [OTHER + 1]: { balance: 1n },
        [OTHER + 2]: { nonce: 1n },
        [OTHER + 3]: {},
        2: { balance: 1n },
      },
    },
    {
      name: "whileCreated",
      about: "before, within and after a creation",
      forks: ["Constantinople", "Berlin", "Osaka"],
      code: `${create(deploy("1 2 3", "ADDRESS EXTCODEHASH 0 SSTORE ADDRESS EXTCODESIZE 1 SSTORE"), 0, 1)} DUP1 EXTCODEHASH
        0 SSTORE EXTCODESIZE 1 SSTORE ${saltedAddressText(deploy("4 5 6"), 2)} EXTCODEHASH 2 SSTORE
        ${create(deploy("4 5 6"), 0, 2)} EXTCODEHASH 3 SSTORE`,
      gas: [600_000],
    },
    {
      name: "destroyedAccount",
      about: "a destroyed account keeps its code until the transaction ends",
      forks: ["Constantinople", "London", "Cancun", "Osaka"],
      code: `${call("CALL", OTHER)} 0 SSTORE ${OTHER} EXTCODEHASH 1 SSTORE ${OTHER} EXTCODESIZE 2 SSTORE
        ${store(3, call("CALL", OTHER, { value: 2 }))}`,
      target: { balance: 10n },
      accounts: { [OTHER]: { nonce: 1n, balance: 4n, code: `${0xdead} SELFDESTRUCT` } },
    },
    {
      name: "priceByFork",
      about: "400, 700 and then cold or warm",
      forks: ["Constantinople", "Istanbul", "Berlin", "Osaka"],
      code: `GAS ${OTHER} EXTCODEHASH POP GAS SWAP1 SUB 0 SSTORE GAS ${OTHER} EXTCODEHASH POP GAS SWAP1 SUB 1 SSTORE`,
      edges: true,
    },
    {
      name: "upperBytes",
      about: "only the lower 20 bytes of the word count",
      forks: ["Constantinople", "Osaka"],
      code: `${2n ** 255n + BigInt(OTHER)} DUP1 EXTCODEHASH 0 SSTORE DUP1 EXTCODESIZE 1 SSTORE BALANCE 2 SSTORE`,
      accounts: { [OTHER]: { balance: 3n, code: "1 2 3" } },
    },
  ],
};

function saltedAddressText(init: Uint8Array, salt: number): string {
  return bytesToHex(saltedContractAddress(TARGET_BYTES, words(salt), keccak256(init)));
}

/** Code of accounts: size, creation, copies and hash. */
export const CODE: readonly Theme[] = [codeSize, initCode, codeCopy, codeHash];
