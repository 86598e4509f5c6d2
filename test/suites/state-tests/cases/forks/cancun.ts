import type { EthereumFork } from "../../../../../src/ledger/evm/tables/ethereum-rules.ts";
import { concat } from "../../../../../src/protocol/primitives/bytes.ts";
import { type StateCase, TARGET, type Theme } from "../case.ts";
import { BLS_ORDER, constantPolynomial, versionedHash } from "../curves.ts";
import { inputs } from "../machine/precompiles.ts";
import { call, create, deploy, hex, repeat, returnMemory, store, words, write } from "../program.ts";

const OTHER = 0xb0b;

const THIRD = 0xcab;

const CANCUN: readonly EthereumFork[] = ["Shanghai", "Cancun", "Prague", "Osaka"];

const MAX = 2n ** 256n - 1n;

const transient: Theme = {
  directory: "Cancun/stEIP1153-transientStorage",
  cases: [
    {
      name: "loadAndStore",
      about: "transient slots begin with zero, cost 100 and are apart from storage",
      forks: CANCUN,
      code: "GAS 3 TLOAD 0 SSTORE GAS SWAP1 SUB 1 SSTORE GAS 9 3 TSTORE GAS SWAP1 SUB 2 SSTORE 3 TLOAD 3 SSTORE 3 SLOAD 4 SSTORE",
      edges: true,
    },
    {
      name: "ownerIsTheAccount",
      about: "each account has its own; libraries use their caller's",
      forks: CANCUN,
      code: `7 0 TSTORE ${store(0, call("CALL", OTHER))} ${store(1, "0 TLOAD")} ${store(2, call("DELEGATECALL", OTHER))}
        ${store(3, "0 TLOAD")} ${store(4, call("CALLCODE", OTHER))} ${store(5, "0 TLOAD")}`,
      accounts: { [OTHER]: { code: "0 TLOAD 1 ADD 0 TSTORE 0 TLOAD 9 SSTORE" } },
    },
    {
      name: "revertUndoes",
      about: "a frame that fails or reverts leaves none of its stores, one that returns all",
      forks: CANCUN,
      code: `1 0 TSTORE ${call("DELEGATECALL", OTHER)} POP ${store(1, "0 TLOAD")} ${call("DELEGATECALL", THIRD)} POP
        ${store(2, "0 TLOAD")} ${call("DELEGATECALL", 0xd1)} POP ${store(3, "0 TLOAD")}`,
      accounts: {
        [OTHER]: { code: "2 0 TSTORE 0 0 REVERT" },
        [THIRD]: { code: "3 0 TSTORE INVALID" },
        209: { code: "4 0 TSTORE" },
      },
    },
    {
      name: "acrossReentrance",
      about: "a lock that a contract takes is seen when it is entered again",
      forks: CANCUN,
      code: `0 TLOAD @locked JUMPI 1 0 TSTORE ${store(1, call("CALL", OTHER))} 0 0 TSTORE ${store(2, call("CALL", OTHER))}
        STOP locked: 0xdead 0 MSTORE ${returnMemory(32, 0, "REVERT")}`,
      accounts: { [OTHER]: { code: `${store(0, call("CALL", TARGET, { gas: 30_000 }))}` } },
    },
    {
      name: "noRefundNoSentry",
      about: "transient stores give nothing back and need no 2,300 gas",
      forks: CANCUN,
      code: `${store(0, call("CALL", OTHER, { gas: 250 }))} ${store(1, call("CALL", OTHER, { gas: 211 }))}
        ${store(2, call("CALL", OTHER, { gas: 212 }))}`,
      accounts: { [OTHER]: { code: "1 1 TSTORE 0 1 TSTORE" } },
    },
    {
      name: "initCodeAndDestruction",
      about: "the slots of a contract that is made and destroyed in the transaction stay until its end",
      forks: CANCUN,
      code: `${create(deploy("0 TLOAD 0 MSTORE CALLER SELFDESTRUCT", "5 0 TSTORE"))} DUP1 0 SSTORE ${call("CALL", "DUP6")}
        POP ${call("CALL", "DUP6", { output: [0, 32] })} 1 SSTORE`,
    },
  ],
};

const copy: Theme = {
  directory: "Cancun/stEIP5656-MCOPY",
  cases: [
    {
      name: "overlaps",
      about: "copies to lower and higher overlapping regions, onto themselves, of nothing",
      forks: CANCUN,
      code: `${write(hex("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f".repeat(2)))} 64 CALLDATALOAD 32
        CALLDATALOAD 0 CALLDATALOAD MCOPY ${repeat(3, (i) => store(i, `${i * 32} MLOAD`))} MSIZE 5 SSTORE`,
      data: [
        words(0, 8, 32),
        words(8, 0, 32),
        words(0, 1, 63),
        words(1, 0, 63),
        words(5, 5, 20),
        words(64, 0, 32),
        words(200, 300, 0),
        words(MAX, MAX, 0),
      ],
    },
    {
      name: "expansion",
      about: "memory grows for the region read as for the one written; 3 gas a word",
      forks: CANCUN,
      code: "GAS 64 CALLDATALOAD 32 CALLDATALOAD 0 CALLDATALOAD MCOPY GAS SWAP1 SUB 0 SSTORE MSIZE 1 SSTORE",
      data: [words(0, 0, 1), words(0, 1000, 1), words(1000, 0, 33), words(5000, 6000, 100)],
      edges: true,
    },
    {
      name: "farAway",
      about: "offsets and sizes beyond reach take all gas",
      forks: CANCUN,
      code: "1 0 SSTORE 64 CALLDATALOAD 32 CALLDATALOAD 0 CALLDATALOAD MCOPY 1 1 SSTORE",
      data: [
        words(MAX, 0, 1),
        words(0, MAX, 1),
        words(0, 0, MAX),
        words(2n ** 64n, 0, 1),
        words(0, 2n ** 32n, 1),
        words(1, MAX, 2),
      ],
      gas: [100_000],
    },
  ],
};

const blob = (mark: number) => versionedHash(Uint8Array.of(mark));

const BLOB_FEES = { maxFeePerGas: 10n, maxPriorityFeePerGas: 1n, maxFeePerBlobGas: 5n };

const wrongVersion = (mark: number) => Uint8Array.from(blob(mark), (byte, i) => (i === 0 ? 2 : byte));

const blobs: Theme = {
  directory: "Cancun/stEIP4844-blobtransactions",
  cases: [
    {
      name: "blobHashes",
      about: "BLOBHASH gives the hashes in order and zero beyond them",
      forks: ["Cancun", "Prague", "Osaka"],
      code: repeat(4, (i) => store(i, `${[0, 2, 3, MAX][i]} BLOBHASH`)),
      fees: BLOB_FEES,
      blobs: [blob(1), blob(2), blob(3)],
    },
    {
      name: "withoutBlobs",
      about: "0x49 and 0x4a came with Cancun and work in any transaction",
      forks: CANCUN,
      code: "GAS 0 BLOBHASH 0 SSTORE GAS SWAP1 SUB 1 SSTORE GAS BLOBBASEFEE 2 SSTORE GAS SWAP1 SUB 3 SSTORE",
      edges: true,
    },
    ...[0x0, 0x60000, 0x4b80000, 0x8000000].map(
      (excess): StateCase => ({
        name: `excess${excess.toString(16)}`,
        about: "the price of blob gas grows with the excess, more slowly from Prague on; it is burnt",
        forks: ["Cancun", "Prague", "Osaka"],
        code: store(0, "BLOBBASEFEE"),
        env: { currentExcessBlobGas: `0x${excess.toString(16)}` },
        fees: { ...BLOB_FEES, maxFeePerBlobGas: 10n ** 12n },
        sender: { balance: 10n ** 20n },
        blobs: [blob(1)],
      }),
    ),
    {
      name: "beforeCancun",
      about: "a blob transaction before Cancun is refused",
      forks: ["Shanghai", "Cancun"],
      to: OTHER,
      fees: BLOB_FEES,
      blobs: [blob(1)],
    },
    {
      name: "noBlobs",
      about: "a blob transaction without blobs is refused",
      forks: ["Cancun", "Osaka"],
      to: OTHER,
      fees: BLOB_FEES,
      blobs: [],
    },
    {
      name: "creates",
      about: "a blob transaction that creates is refused",
      forks: ["Cancun", "Osaka"],
      to: null,
      data: ["STOP"],
      fees: BLOB_FEES,
      blobs: [blob(1)],
    },
    {
      name: "wrongVersion",
      about: "a hash of an unknown version is refused, also behind good ones",
      forks: ["Cancun", "Osaka"],
      to: OTHER,
      fees: BLOB_FEES,
      blobs: [blob(1), wrongVersion(2)],
    },
    ...[6, 7, 9, 10].map(
      (count): StateCase => ({
        name: `count${count}`,
        about: "six blobs on Cancun, nine on Prague, six in one transaction on Osaka",
        forks: ["Cancun", "Prague", "Osaka"],
        to: OTHER,
        fees: BLOB_FEES,
        blobs: Array.from({ length: count }, (_, i) => blob(i)),
      }),
    ),
    {
      name: "blobFeeTooLow",
      about: "an offer below the price of blob gas is refused",
      forks: ["Cancun", "Prague", "Osaka"],
      to: OTHER,
      env: { currentExcessBlobGas: "0x8000000" },
      fees: BLOB_FEES,
      blobs: [blob(1)],
    },
    {
      name: "balanceForBlobs",
      about: "the sender must have the highest price of its blobs besides gas and value",
      forks: ["Cancun", "Osaka"],
      to: OTHER,
      sender: { balance: 210_000n + 131_072n * 5n + 3n },
      fees: BLOB_FEES,
      blobs: [blob(1)],
      gas: [21_000],
      value: [3n, 4n],
    },
    inputs(
      "pointEvaluation",
      0x0a,
      CANCUN,
      [
        constantPolynomial(1n, 5n),
        constantPolynomial(0n, 0n),
        constantPolynomial(77n, BLS_ORDER - 1n),
        constantPolynomial(77n, 3n, 78n),
        constantPolynomial(1n, BLS_ORDER),
        constantPolynomial(1n, 5n, BLS_ORDER + 1n),
        constantPolynomial(1n, 5n).subarray(0, 191),
        concat(constantPolynomial(1n, 5n), Uint8Array.of(0)),
        Uint8Array.from(constantPolynomial(1n, 5n), (byte, i) => (i === 0 ? 2 : byte)),
        Uint8Array.from(constantPolynomial(1n, 5n), (byte, i) => (i === 190 ? 1 : byte)),
        new Uint8Array(0),
      ],
      "evaluations of constant polynomials: true, false, out of range, wrong hash, wrong size",
    ),
  ],
};

const destruction: Theme = {
  directory: "Pyspecs/cancun/eip6780_selfdestruct",
  cases: [
    {
      name: "olderContractStays",
      about: "from Cancun on an older contract only gives its balance and keeps code and storage",
      forks: ["London", "Shanghai", "Cancun", "Prague", "Osaka"],
      code: `${call("CALL", OTHER)} POP ${store(0, `${OTHER} EXTCODESIZE`)} ${store(1, call("CALL", OTHER, { value: 3 }))}`,
      target: { balance: 9n },
      accounts: {
        [OTHER]: { nonce: 1n, balance: 4n, storage: { 1: 1n }, code: `1 2 SSTORE ${THIRD} SELFDESTRUCT` },
      },
    },
    {
      name: "newContractGoes",
      about:
        "one made in the same transaction goes, with its storage, by CREATE and CREATE2, in init code and later",
      forks: ["Shanghai", "Cancun", "Osaka"],
      code: `${create(`1 0 SSTORE ${THIRD} SELFDESTRUCT`, 1)} 0 SSTORE
        ${create(deploy(`${THIRD} SELFDESTRUCT`, "1 0 SSTORE"), 2, 5)} DUP1 1 SSTORE ${call("CALL", "DUP6")} 2 SSTORE
        EXTCODESIZE 3 SSTORE`,
      target: { balance: 9n },
      gas: [500_000],
    },
    {
      name: "newContractToItself",
      about: "a new contract that names itself burns its balance, an older one keeps it",
      forks: ["Shanghai", "Cancun", "Osaka"],
      code: `${create("ADDRESS SELFDESTRUCT", 4)} 0 SSTORE ${call("CALL", OTHER)} POP ${OTHER} BALANCE 1 SSTORE`,
      target: { balance: 9n },
      accounts: { [OTHER]: { nonce: 1n, balance: 4n, code: "ADDRESS SELFDESTRUCT" } },
    },
    {
      name: "byLibrary",
      about: "it is the delegating account that must be new",
      forks: ["Shanghai", "Cancun", "Osaka"],
      code: `${create(deploy(call("DELEGATECALL", OTHER)), 2)} DUP1 0 SSTORE ${call("CALL", "DUP6")} 1 SSTORE
        ${call("DELEGATECALL", OTHER)} 2 SSTORE`,
      target: { balance: 9n },
      accounts: { [OTHER]: { nonce: 1n, code: `${THIRD} SELFDESTRUCT` } },
    },
    {
      name: "byCreatingTransaction",
      about: "a transaction's own creation is new too",
      forks: ["Shanghai", "Cancun", "Osaka"],
      to: null,
      data: [`1 0 SSTORE ${THIRD} SELFDESTRUCT`, deploy("CALLER SELFDESTRUCT")],
      value: [0n, 8n],
    },
  ],
};

/** Cancun's changes. */
export const CANCUN_THEMES: readonly Theme[] = [transient, copy, blobs, destruction];
