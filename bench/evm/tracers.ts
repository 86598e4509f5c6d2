// `npx tsx bench/evm/tracers.ts [--rounds 2000] [--times 5]`: CPU milliseconds of a call under each tracer of the node, and
// of finding its access list. The call runs a loop of storage, memory, hashing and a call to another contract, for as many
// rounds as requested; prints the median of the times, after two warm-up runs.
import { parseArgs } from "node:util";
import { createEvm } from "../../src/ledger/evm/engine/create-evm.ts";
import type { BlockContext } from "../../src/ledger/evm/evm.ts";
import { precompiles } from "../../src/ledger/evm/precompiles/index.ts";
import type { TracerChoice, Work } from "../../src/ledger/execution/job.ts";
import { runWork } from "../../src/ledger/execution/jobs/run-job.ts";
import type { StateReader } from "../../src/ledger/state/state.ts";
import { newContract, newEoa } from "../../src/protocol/account/account.ts";
import { keccak256 } from "../../src/protocol/crypto/keccak.ts";
import { FORKS, type Rules } from "../../src/protocol/params/forks.ts";
import { bigintToFixedBytes, EMPTY_BYTES, ZERO_HASH } from "../../src/protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../src/protocol/primitives/hex.ts";

const { values: options } = parseArgs({
  options: { rounds: { type: "string", default: "2000" }, times: { type: "string", default: "5" } },
});
const ROUNDS = Number(options.rounds);

const place = (number: number) => bigintToFixedBytes(BigInt(number), 20);
const [SENDER, TARGET, CALLEE] = [place(0xaaaa), place(0xbbbb), place(0xcccc)];

/** Returns the word 1. */
const CALLEE_CODE = hexToBytes("0x60015f5260205ff3");
/** Counts down from ROUNDS. */
const LOOP = [
  `61${ROUNDS.toString(16).padStart(4, "0")}`,
  "5b", // a round begins
  "600754600101600755", // slot 7 goes up by one
  "80600052602a602052", // memory: the count, and 42
  "604060002050", // hash of both
  "6020604060006000", // STATICCALL, result to memory
  "61cccc5afa50",
  "8060206040a1", // LOG1 of the result
  "6001900380600357",
  "00",
];
const CODE = hexToBytes(`0x${LOOP.join("")}`);

const accounts = new Map(
  [
    [SENDER, newEoa(10n ** 27n), EMPTY_BYTES] as const,
    [TARGET, { ...newContract(), nonce: 1n, codeHash: keccak256(CODE) }, CODE] as const,
    [CALLEE, { ...newContract(), nonce: 1n, codeHash: keccak256(CALLEE_CODE) }, CALLEE_CODE] as const,
  ].map(([address, account, code]) => [bytesToHex(address), { account, code }]),
);
const codes = new Map([...accounts.values()].map(({ code }) => [bytesToHex(keccak256(code)), code]));
const state: StateReader = {
  account: (address) => accounts.get(bytesToHex(address))?.account,
  storage: () => EMPTY_BYTES,
  code: (hash) => codes.get(bytesToHex(hash)) ?? EMPTY_BYTES,
};
const active = Object.fromEntries(FORKS.map((fork) => [fork, true]));
const rules = { ...active, level: FORKS.length, chainId: 1001n } as unknown as Rules;
const context: BlockContext = {
  ...{ rules, number: 100n, time: 1n, coinbase: place(1), prevRandao: 1n, baseFee: 0n, blobBaseFee: 0n },
  ...{ gasLimit: 0n, blockHash: () => ZERO_HASH },
};
const evm = createEvm({ precompiles, now: () => Date.now() });
const request = {
  ...{ from: SENDER, to: TARGET, value: 0n, input: EMPTY_BYTES, gas: 400_000_000n, gasPrice: 0n },
};

function run(work: Work): number {
  const block = { evm, context, state, feeRecipient: undefined, computationLimit: undefined };
  const machine = { now: () => Date.now(), limits: {}, engine: () => undefined as never };
  const before = process.cpuUsage();
  const [outcome] = [...runWork(work, block, machine)];
  const { user, system } = process.cpuUsage(before);
  if (outcome === undefined || "error" in outcome) throw outcome?.error ?? new Error("no outcome");
  return (user + system) / 1000;
}

function measure(name: string, work: Work): void {
  run(work);
  run(work);
  const times = Array.from({ length: Number(options.times) }, () => run(work)).sort((a, b) => a - b);
  console.log(name.padEnd(40), `${(times[times.length >> 1] as number).toFixed(1)} ms`);
}

const trace = (tracer: TracerChoice): Work => ({ kind: "traceCall", request, tracer, timeoutMs: 60_000 });
measure("no tracer", { kind: "call", request });
for (const name of [
  ...["callTracer", "prestateTracer", "4byteTracer", "noopTracer", "opcountTracer", "revertTracer"],
  ...["unigramTracer", "bigramTracer", "trigramTracer"],
])
  measure(name, trace({ kind: "named", name }));
measure("createAccessList", { kind: "accessList", request, excluded: new Set() });
measure("struct log", trace({ kind: "structLog", options: {} }));
measure("struct log without memory", trace({ kind: "structLog", options: { disableMemory: true } }));
