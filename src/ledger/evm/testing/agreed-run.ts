import { expect } from "vitest";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import type { StateJournal } from "../../state/journal/journal-types.ts";
import type { Evm } from "../evm.ts";
import { assemble } from "./assemble.ts";
import {
  address,
  call,
  ENGINE_VARIANTS,
  engine,
  type RunOptions,
  stateOf,
  type TestAccount,
  word,
} from "./run-code.ts";

/** Observable results of a run, including the accounts after it. */
export interface ObservedRun {
  readonly outcome: string;
  readonly gasLeft: bigint;
  readonly computation: bigint;
  readonly output: string;
  /** Slots 0, 1 and 2 of each account, by its number. */
  readonly slots: readonly (readonly string[])[];
  readonly balances: readonly bigint[];
  readonly nonces: readonly bigint[];
  /** Address, topics and data of each log. */
  readonly logs: readonly string[];
  readonly refund: bigint;
}

/** Accounts by number; a string is the source of a contract with the value 7 in slot 1 and a thousand kei. */
export type Scene = Readonly<Record<number, string | TestAccount>>;

export interface AgreedOptions extends Pick<RunOptions, "gas" | "fork" | "value" | "computation"> {
  /** How often CONTRACT is called, twice in each transaction. */
  readonly calls?: number;
  /** Called before the first call. */
  readonly prepare?: (state: StateJournal) => void;
}

/** One engine per variant, shared by all runs: a run must leave nothing behind for the next. */
const engines = ENGINE_VARIANTS.map((variant) => engine(variant));

/** Calls CONTRACT in all engine variants and expects equal results. @returns the results, by call */
export function agreedRuns(scene: Scene, options: AgreedOptions = {}): readonly ObservedRun[] {
  const [first, ...others] = engines.map((evm) => runsOf(scene, options, evm));
  for (const other of others) expect(other).toEqual(first);
  return first as readonly ObservedRun[];
}

/** As `agreedRuns`, with a single call. */
export function agreed(scene: Scene, options: AgreedOptions = {}): ObservedRun {
  return agreedRuns(scene, { ...options, calls: 1 })[0] as ObservedRun;
}

function runsOf(scene: Scene, { calls = 3, prepare, ...options }: AgreedOptions, evm: Evm): ObservedRun[] {
  const entries = Object.entries(scene).map(([at, account]) => [Number(at), account] as const);
  const state = stateOf(Object.fromEntries(entries.map(([at, account]) => [at, accountOf(account)])));
  prepare?.(state);
  return Array.from({ length: calls }, (_, i) => {
    if (i > 0 && i % 2 === 0) state.endTransaction();
    const { outcome, gasLeft, output, computation } = call(state, { gas: 10_000_000n, ...options, evm });
    const seen = { outcome, gasLeft, computation, output: bytesToHex(output) };
    return {
      ...seen,
      ...stateSeen(
        state,
        entries.map(([at]) => at),
      ),
    };
  });
}

function accountOf(account: string | TestAccount): TestAccount {
  if (typeof account !== "string") return account;
  return { code: assemble(account), balance: 1000n, storage: { 1: 7n } };
}

function stateSeen(state: StateJournal, numbers: readonly number[]) {
  const addresses = numbers.map(address);
  return {
    slots: addresses.map((at) => [0, 1, 2].map((slot) => bytesToHex(state.storage(at, word(slot))))),
    balances: addresses.map((at) => state.balance(at)),
    nonces: addresses.map((at) => state.nonce(at)),
    logs: state.logs.map((log) => [log.address, ...log.topics, log.data].map(bytesToHex).join()),
    refund: state.refund,
  };
}
