import type { EthereumFork } from "../../../../../src/ledger/evm/tables/ethereum-rules.ts";
import { contractAddress, saltedContractAddress } from "../../../../../src/protocol/account/address.ts";
import { keccak256 } from "../../../../../src/protocol/crypto/keccak.ts";
import { bigintToFixedBytes } from "../../../../../src/protocol/primitives/bytes.ts";
import { type AddressSource, type CaseAccount, type StateCase, TARGET, type Theme } from "../case.ts";
import { call, codeBytes, create, deploy, hex, repeat, returnMemory, store, words } from "../program.ts";

const SPREAD: readonly EthereumFork[] = [
  "Frontier",
  "Homestead",
  "EIP158",
  "Istanbul",
  "Berlin",
  "Shanghai",
  "Osaka",
];

const SALTED = ["Constantinople", "Istanbul", "Berlin", "Shanghai", "Osaka"] as const;

const TARGET_BYTES = bigintToFixedBytes(BigInt(TARGET), 20);

const OTHER = 0xb0b;

/** Where TARGET creates from an init code with a salt. */
function saltedAddress(initCode: Uint8Array, salt: number): Uint8Array {
  return saltedContractAddress(TARGET_BYTES, words(salt), keccak256(initCode));
}

/** What may already exist at the address of a new contract. */
const OCCUPANTS: Readonly<Record<string, CaseAccount>> = {
  balance: { balance: 5n },
  nonce: { nonce: 1n },
  code: { code: "1 0 SSTORE" },
  nonceAndBalance: { nonce: 3n, balance: 9n },
};

/** Creations onto an occupied address, by contract or by transaction. */
function collisions(salted: boolean): StateCase[] {
  const init = deploy("CALLVALUE 0 SSTORE", "6 0 SSTORE");
  const place = salted ? saltedAddress(init, 1) : contractAddress(TARGET_BYTES, 1n);
  return Object.entries(OCCUPANTS).map(([state, occupant]) => ({
    name: `onto_${state}`,
    about: `creation where an account with ${state} lies: only one with nothing but a balance makes room`,
    forks: salted ? SALTED : SPREAD,
    code: `${create(init, 2, salted ? 1 : undefined)} 0 SSTORE GAS 1 SSTORE ${store(2, `${call("CALL", place, { value: 1 })}`)}`,
    target: { balance: 10n },
    accounts: new Map<AddressSource, CaseAccount>([[place, occupant]]),
    gas: [6_000_000],
  }));
}

/** How init code may end, besides returning code. */
const ENDINGS: readonly Uint8Array[] = [
  codeBytes("1 0 SSTORE"),
  codeBytes(`0xaa 0 MSTORE 1 0 SSTORE ${returnMemory(32, 0, "REVERT")}`),
  codeBytes("1 0 SSTORE INVALID"),
  codeBytes("1 0 SSTORE on: @on JUMP"),
  codeBytes(`1 0 SSTORE ${OTHER} SELFDESTRUCT`),
  codeBytes("POP"),
  codeBytes("CALLDATASIZE CODESIZE ADD 0 SSTORE ADDRESS 1 SSTORE CALLER 2 SSTORE CALLVALUE 3 SSTORE"),
];

/** A contract that creates from the transaction's input and stores the result. */
const FACTORY = (salt: string) =>
  `CALLDATASIZE 0 0 CALLDATACOPY ${salt} CALLDATASIZE 0 3 CREATE${salt === "" ? "" : "2"} DUP1 0 SSTORE EXTCODESIZE 1 SSTORE GAS 2 SSTORE`;

const createTest: Theme = {
  directory: "stCreateTest",
  cases: [
    ...collisions(false),
    {
      name: "endingsOfInitCode",
      about: "init code that stops, reverts, fails, runs out, destroys itself, underflows, looks around",
      forks: SPREAD,
      code: FACTORY(""),
      target: { balance: 20n },
      data: ENDINGS,
      gas: [300_000],
    },
    {
      name: "byTransaction",
      about: "the same endings when a transaction creates",
      forks: SPREAD,
      to: null,
      data: [...ENDINGS, deploy("1 0 SSTORE"), deploy("STOP")],
      gas: [200_000],
      value: [0n, 4n],
    },
    {
      name: "depositGas",
      about: "200 gas for each byte of code, and what happens when they are not there",
      forks: SPREAD,
      to: null,
      data: [deploy(hex("00".repeat(64)))],
      gas: [200_000, 66_500],
      edges: true,
    },
    {
      name: "moreThanBalance",
      about: "a creation with more value than there is leaves even the nonce alone",
      forks: SPREAD,
      code: `${create("STOP", 11)} 0 SSTORE ${create("STOP", 10)} 1 SSTORE`,
      target: { balance: 10n },
    },
    {
      name: "lastNonce",
      about: "an account whose nonce is 2^64 - 1 creates no more; one before it creates one more",
      forks: ["Istanbul", "Berlin", "Osaka"],
      code: `${create("STOP")} 0 SSTORE ${create("STOP")} 1 SSTORE`,
      target: { nonce: 2n ** 64n - 2n },
    },
    {
      name: "nonceOfFailures",
      about: "a creation that fails has still used a nonce of its creator",
      forks: SPREAD,
      code: `${create("INVALID")} 0 SSTORE ${create("STOP")} 1 SSTORE`,
      gas: [4_000_000],
    },
    {
      name: "gasForInitCode",
      about: "init code gets all gas before EIP-150 and all but a 64th after it",
      forks: SPREAD,
      code: `${create("GAS 0 SSTORE")} 0 SSTORE`,
      gas: [120_000, 93_000],
    },
    {
      name: "emptyInitCode",
      about: "no init code makes an account with a nonce and nothing else",
      forks: SPREAD,
      code: "0 0 0 CREATE DUP1 0 SSTORE EXTCODESIZE 1 SSTORE",
      edges: true,
    },
    {
      name: "initCodeBeyondMemory",
      about: "memory grows for the init code; offsets near 2^256 cost too much",
      forks: SPREAD,
      code: "0 CALLDATALOAD 32 CALLDATALOAD 0 CREATE 0 SSTORE MSIZE 1 SSTORE",
      data: [words(32, 1000), words(0, 2n ** 256n - 1n), words(2n ** 64n, 0), words(1, 2n ** 256n - 1n)],
      gas: [200_000],
    },
  ],
};

const create2: Theme = {
  directory: "stCreate2",
  cases: [
    ...collisions(true),
    {
      name: "unknownBefore",
      about: "0xf5 came with Constantinople",
      forks: ["Byzantium", "Constantinople", "Osaka"],
      code: `${create("STOP", 0, 5)} 0 SSTORE`,
    },
    {
      name: "endingsOfInitCode",
      about: "init code that stops, reverts, fails, runs out, destroys itself, underflows, looks around",
      forks: SALTED,
      code: FACTORY("7"),
      target: { balance: 20n },
      data: ENDINGS,
      gas: [300_000],
    },
    {
      name: "address",
      about: "the address follows from creator, salt and init code, not from the nonce",
      forks: ["Constantinople", "Berlin", "Osaka"],
      code: "CALLDATASIZE 32 32 CALLDATACOPY 0 CALLDATALOAD 32 CALLDATASIZE SUB 64 0 CREATE2 0 SSTORE",
      data: [words(0), words(2n ** 256n - 1n, 0), words(5, 1), words(6, 1)],
    },
    {
      name: "twice",
      about: "the same creation twice fails the second time and takes the gas it was given",
      forks: SALTED,
      code: `${repeat(2, (i) => `${create(deploy("STOP"), 0, 9)} ${i} SSTORE GAS ${i + 4} SSTORE`)}`,
      gas: [4_000_000],
    },
    {
      name: "againAfterSelfdestruct",
      about: "within one transaction a destroyed contract still lies in the way of its successor",
      forks: SALTED,
      code: `${create(deploy("CALLER SELFDESTRUCT"), 0, 9)} DUP1 0 SSTORE ${call("CALL", "DUP6", { value: 1 })} 1 SSTORE POP
        ${create(deploy("CALLER SELFDESTRUCT"), 0, 9)} 2 SSTORE`,
      target: { balance: 50n },
      gas: [1_000_000],
    },
    {
      name: "hashingGas",
      about: "6 gas a word of init code for its hash, 2 more from Shanghai",
      forks: SALTED,
      code: "GAS 0 0 CALLDATALOAD 0 0 CREATE2 1 SSTORE GAS SWAP1 SUB 0 SSTORE",
      data: [words(0), words(1), words(32), words(33), words(4096)],
      edges: true,
    },
    {
      name: "revertedAndRetried",
      about: "a creation that reverts leaves its address free",
      forks: SALTED,
      code: `${create(`CALLER EXTCODESIZE 1 SLOAD GAS 0 SSTORE ${returnMemory(0, 0, "REVERT")}`, 0, 3)} 0 SSTORE
        RETURNDATASIZE 1 SSTORE
        ${create(`CALLER EXTCODESIZE 1 SLOAD GAS 0 SSTORE ${returnMemory(0, 0, "REVERT")}`, 0, 3)} 2 SSTORE`,
    },
    {
      name: "inInitCode",
      about: "init code creates with a salt from its own address, which has no code yet",
      forks: SALTED,
      code: `${create(`${create("ADDRESS 0 SSTORE", 0, 1)} 0 SSTORE`, 0, 2)} 0 SSTORE`,
      gas: [500_000],
    },
  ],
};

const recursive: Theme = {
  directory: "stRecursiveCreate",
  cases: [
    {
      name: "copiesOfItself",
      about: "init code creates itself again until gas ends",
      forks: ["Frontier", "EIP150", "Istanbul", "Shanghai", "Osaka"],
      to: null,
      data: ["CODESIZE 0 0 CODECOPY CODESIZE 0 0 CREATE 0 SSTORE"],
      gas: [300_000, 1_500_000],
    },
    {
      name: "callsAndCreates",
      about: "a contract creates one that calls it again, with a counter",
      forks: ["EIP158", "Berlin", "Osaka"],
      code: `0 SLOAD 1 ADD DUP1 0 SSTORE 9 LT @end JUMPI ${create(call("CALL", TARGET, { gas: "GAS" }))} 0 SLOAD SSTORE end: STOP`,
      gas: [2_000_000],
    },
  ],
};

/** Creations by CREATE, CREATE2 and transactions. */
export const CREATIONS: readonly Theme[] = [createTest, create2, recursive];
