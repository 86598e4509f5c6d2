import { type Account, newContract, newEoa } from "../../../protocol/account/account.ts";
import { keccak256 } from "../../../protocol/crypto/keccak.ts";
import { FORKS, type Fork, type Rules } from "../../../protocol/params/forks.ts";
import { MAX_CODE_BYTES } from "../../../protocol/params/gas.ts";
import {
  type Address,
  bigintToFixedBytes,
  EMPTY_BYTES,
  trimLeadingZeros,
} from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { createJournal } from "../../state/journal/journal.ts";
import type { StateJournal } from "../../state/journal/journal-types.ts";
import { createInlineCompiler } from "../engine/compiler/code-compiler.ts";
import { createEvm, type EvmParts } from "../engine/create-evm.ts";
import type { BlockContext, Evm, RunLimits, RunResult, Tracer } from "../evm.ts";
import { precompiles } from "../precompiles/index.ts";

/** The address with this number. */
export function address(number: number): Address {
  return bigintToFixedBytes(BigInt(number), 20);
}

/** A number as a 32-byte word. */
export function word(value: number | bigint): Uint8Array {
  return bigintToFixedBytes(BigInt.asUintN(256, BigInt(value)), 32);
}

/** Rules of a chain on which every fork up to `fork` is active; without one, none is. */
export function rulesAt(fork: Fork | undefined): Rules {
  const level = fork === undefined ? 0 : FORKS.indexOf(fork) + 1;
  const active = Object.fromEntries(FORKS.map((name, i) => [name, i < level]));
  return { level, chainId: 1001n, codeSizeLimit: MAX_CODE_BYTES, ...active } as unknown as Rules;
}

/** Account of a test: code makes it a contract. */
export interface TestAccount {
  readonly code?: Uint8Array;
  readonly balance?: bigint;
  readonly nonce?: bigint;
  readonly codeInfo?: number;
  readonly storage?: Readonly<Record<number, bigint>>;
}

/** A journal over accounts by number. */
export function stateOf(accounts: Readonly<Record<number, TestAccount>>): StateJournal {
  const byAddress: Map<string, Account> = new Map();
  const codes: Map<string, Uint8Array> = new Map();
  const slots: Map<string, Uint8Array> = new Map();
  for (const [number, { code, balance = 0n, nonce, codeInfo = 0x10, storage = {} }] of Object.entries(
    accounts,
  )) {
    const key = bytesToHex(address(Number(number)));
    const contract = code && {
      ...newContract(balance, codeInfo),
      nonce: nonce ?? 1n,
      codeHash: keccak256(code),
    };
    const account = contract ?? { ...newEoa(balance), nonce: nonce ?? 0n };
    const storageRoot = Object.keys(storage).length > 0 ? word(1) : account.storageRoot;
    byAddress.set(key, { ...account, storageRoot });
    if (code) codes.set(bytesToHex(keccak256(code)), code);
    for (const [slot, value] of Object.entries(storage)) {
      slots.set(`${key} ${bytesToHex(word(Number(slot)))}`, trimLeadingZeros(word(value)));
    }
  }
  return createJournal({
    account: (a) => byAddress.get(bytesToHex(a)),
    storage: (a, slot) => slots.get(`${bytesToHex(a)} ${bytesToHex(slot)}`) ?? EMPTY_BYTES,
    code: (hash) => codes.get(bytesToHex(hash)) ?? EMPTY_BYTES,
  });
}

export const SENDER = 0x1000;
export const CONTRACT = 0x2000;

/** Block of the tests: number 300, recognisable words. */
export function blockAt(fork: Fork | undefined): BlockContext {
  return {
    rules: rulesAt(fork),
    number: 300n,
    time: 1700n,
    coinbase: address(0xc0),
    prevRandao: 0x44n,
    baseFee: 0x48n,
    blobBaseFee: 0x4an,
    gasLimit: 0n,
    blockHash: (number) => word(number + 1n),
  };
}

export interface RunOptions extends RunLimits {
  /** `genesis`: before the first fork. */
  readonly fork?: Fork | "genesis";
  readonly gas?: bigint;
  readonly value?: bigint;
  readonly input?: Uint8Array;
  readonly isStatic?: boolean;
  readonly tracer?: Tracer;
  readonly evm?: Evm;
}

const QUANTUM = { gas: 40, steps: 7 };
const compiler = createInlineCompiler("always");

/** Engines that must agree: default, yielding every few gas, exact loop only, compiled, compiled and yielding every few gas. */
export const ENGINE_VARIANTS: readonly Pick<EvmParts, "quantum" | "compiler">[] = [
  {},
  { quantum: QUANTUM },
  { quantum: { ...QUANTUM, exact: true } },
  { compiler },
  { compiler, quantum: QUANTUM },
];

/** An engine with Kaia's precompiles. */
export function engine(variant: (typeof ENGINE_VARIANTS)[number] = {}): Evm {
  return createEvm({ precompiles, now: () => 0, ...variant });
}

const standard = engine();

/** Calls CONTRACT, or creates when `to` is null, from SENDER. */
export function call(state: StateJournal, options: RunOptions = {}, to: number | null = CONTRACT): RunResult {
  const { fork = "osaka", gas = 1_000_000n, value = 0n, input = EMPTY_BYTES, isStatic = false } = options;
  const caller = address(SENDER);
  const message = { caller, value, input, gas, isStatic, ...(to !== null && { to: address(to) }) };
  const transaction = {
    origin: caller,
    gasPrice: 0x3an,
    feePayer: address(0xfee),
    blobHashes: [word(0xb10b)],
  };
  const evm = options.evm ?? standard;
  const block = blockAt(fork === "genesis" ? undefined : fork);
  return evm.run(message, block, transaction, state, options, options.tracer);
}
