// `npx tsx bench/evm/bench.ts [--rounds 3] [--exact] [--compiled]`: Mgas per CPU second of the EVM in process, one row per workload,
// and µs per ERC-20 transfer and per plain call, including driver and journal. Prints the median of the rounds.
import { parseArgs } from "node:util";
import { createInlineCompiler } from "../../src/ledger/evm/engine/compiler/code-compiler.ts";
import { createEvm } from "../../src/ledger/evm/engine/create-evm.ts";
import type { BlockContext, Evm } from "../../src/ledger/evm/evm.ts";
import { precompiles } from "../../src/ledger/evm/precompiles/index.ts";
import { createJournal } from "../../src/ledger/state/journal/journal.ts";
import { type Account, newContract, newEoa } from "../../src/protocol/account/account.ts";
import { keccak256 } from "../../src/protocol/crypto/keccak.ts";
import type { Rules } from "../../src/protocol/params/forks.ts";
import {
  bigintToFixedBytes,
  concat,
  trimLeadingZeros,
  ZERO_HASH,
} from "../../src/protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../src/protocol/primitives/hex.ts";
import { CONTRACTS, callingLoop, word } from "../rpc/lib/asm.mjs";
import { TOKEN_RUNTIME } from "../rpc/lib/token.mjs";
import { SELECTORS, WORK_RUNTIME } from "./work.mjs";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    exact: { type: "boolean", default: false },
    compiled: { type: "boolean", default: false },
  },
});
const address = (n: number) => bigintToFixedBytes(BigInt(n), 20);
const bytes = (hex: string) => hexToBytes(`0x${hex.replace("0x", "")}`);
const TOKEN_CODE = bytes(TOKEN_RUNTIME);
const SENDER = address(0xaaaa);
const TARGET = address(0xbbbb);
const TOKENS = address(0xcccccc);
const GAS = 1_000_000_000_000n;

const active = { istanbul: true, london: true, ethTxType: true, magma: true, kore: true, shanghai: true };
const rules: Rules = {
  ...active,
  cancun: true,
  randao: true,
  kaia: true,
  prague: true,
  osaka: true,
  level: 11,
  chainId: 1001n,
};
const block: BlockContext = {
  rules,
  number: 100n,
  time: 1n,
  coinbase: address(1),
  prevRandao: 1n,
  baseFee: 0n,
  blobBaseFee: 0n,
  gasLimit: 0n,
  blockHash: () => ZERO_HASH,
};
const transaction = { origin: SENDER, gasPrice: 0n, feePayer: SENDER, blobHashes: [] };

/** A journal in which TARGET has `code` and one slot with a value, and TOKENS the token's code. */
function stateWith(code: Uint8Array, slot = ZERO_HASH, value = new Uint8Array(0)) {
  const contract: Account = {
    ...newContract(),
    nonce: 1n,
    codeHash: keccak256(code),
    codeInfo: 0x10,
    storageRoot: bigintToFixedBytes(1n, 32),
  };
  const accounts: Record<string, Account> = {
    [bytesToHex(SENDER)]: newEoa(10n ** 27n),
    [bytesToHex(TARGET)]: contract,
    [bytesToHex(TOKENS)]: { ...contract, codeHash: keccak256(TOKEN_CODE) },
  };
  const codes = new Map([code, TOKEN_CODE].map((bytes) => [bytesToHex(keccak256(bytes)), bytes]));
  const wanted = bytesToHex(slot);
  return createJournal({
    account: (a) => accounts[bytesToHex(a)],
    storage: (_a, s) => (bytesToHex(s) === wanted ? trimLeadingZeros(value) : new Uint8Array(0)),
    code: (hash) => codes.get(bytesToHex(hash)) as Uint8Array,
  });
}

const cpu = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};
const median = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1] as number;
const rounds = Number(options.rounds);

/** Slot of the balance of an account in the token. */
const balanceSlot = (holder: number) =>
  keccak256(concat(bigintToFixedBytes(BigInt(holder), 32), bigintToFixedBytes(3n, 32)));

function loop(evm: Evm, code: string, input: string): number {
  const state = stateWith(bytes(code), balanceSlot(0xbbbb), bigintToFixedBytes(1n << 96n, 32));
  const once = () => {
    const result = evm.run(
      { caller: SENDER, to: TARGET, value: 0n, input: bytes(input), gas: GAS },
      block,
      transaction,
      state,
      {},
    );
    if (result.outcome !== "success") throw new Error(result.error);
    state.endTransaction();
    return Number(GAS - result.gasLeft);
  };
  once();
  return median(
    Array.from({ length: rounds }, () => {
      const start = cpu();
      const gas = once();
      return gas / (cpu() - start) / 1e6;
    }),
  );
}

/** Microseconds per call of `code`, each in its own transaction. */
function calls(evm: Evm, code: string, input: (i: number) => Uint8Array, value = 0n): number {
  const state = stateWith(bytes(code), balanceSlot(0xaaaa), bigintToFixedBytes(1n << 96n, 32));
  const N = 20_000;
  const inputs = Array.from({ length: 4000 }, (_, i) => input(i));
  const batch = () => {
    for (let i = 0; i < N; i++) {
      const message = {
        caller: SENDER,
        to: TARGET,
        value,
        input: inputs[i % 4000] as Uint8Array,
        gas: 1_000_000n,
      };
      const result = evm.run(message, block, transaction, state, { computation: 150_000_000n });
      if (result.outcome !== "success") throw new Error(result.error);
      state.endTransaction();
    }
  };
  batch();
  return median(
    Array.from({ length: rounds }, () => {
      const start = cpu();
      batch();
      return ((cpu() - start) / N) * 1e6;
    }),
  );
}

const quantum = options.exact ? { quantum: { gas: 100_000, steps: 1_000_000, exact: true } } : {};
const compiler = options.compiled ? createInlineCompiler("always") : undefined;
const evm = createEvm({ precompiles, now: () => 0, ...quantum, compiler });
const only = process.env["ONLY"]?.split(",");
for (const name of (["arith", "divmod", "small", "keccak", "memory", "storage"] as const).filter(
  (n) => !only || only.includes(n),
)) {
  console.log(
    name.padEnd(10),
    loop(evm, CONTRACTS[name], word(name === "storage" ? 100_000 : 150_000)).toFixed(0),
    "Mgas/CPU-s",
  );
}
for (const name of (["sort", "march"] as const).filter((n) => !only || only.includes(n))) {
  console.log(name.padEnd(10), loop(evm, WORK_RUNTIME, SELECTORS[name] + word(300)).toFixed(0), "Mgas/CPU-s");
}
if (!only || only.includes("calls")) {
  const code = callingLoop("0xcccccc", "a9059cbb", "DUP2 0x3ff AND 0x10000 ADD 4 MSTORE 1 36 MSTORE", 68);
  console.log("calls".padEnd(10), loop(evm, code, word(30_000)).toFixed(0), "Mgas/CPU-s");
}
if (!only) {
  const transfer = (i: number) => bytes(`a9059cbb${word(0x10000 + i)}${word(1)}`);
  console.log("erc20".padEnd(10), calls(evm, TOKEN_RUNTIME, transfer).toFixed(2), "µs");
  console.log("plain".padEnd(10), calls(evm, "00", () => new Uint8Array(0), 1n).toFixed(2), "µs");
}
