import { describe, expect, it } from "vitest";
import type { StateChanges } from "../../../state/state.ts";
import {
  CONTRACT,
  call,
  type RunOptions,
  SENDER,
  stateOf,
  type TestAccount,
} from "../../testing/run-code.ts";

const FORKS = ["genesis", "istanbul", "london", "kore", "cancun", "prague", "osaka"] as const;
const funded = { [SENDER]: { balance: 100n, nonce: 1n } };
const emptied = { [CONTRACT]: { balance: 0n } };
const delegation = { [CONTRACT]: { code: Uint8Array.from([0xef, 0x01, 0x00, ...new Uint8Array(20)]) } };

/** Accounts and messages: what is transferred, and to whom. */
const CASES: readonly [string, Readonly<Record<number, TestAccount>>, RunOptions, number][] = [
  ["value to an account", { ...funded, [CONTRACT]: { balance: 5n } }, { value: 7n }, CONTRACT],
  ["value to a missing account", funded, { value: 7n }, CONTRACT],
  ["value to the sender itself", funded, { value: 7n }, SENDER],
  ["all value", funded, { value: 100n }, CONTRACT],
  ["more than the balance", funded, { value: 101n }, CONTRACT],
  ["nothing to an account", { ...funded, [CONTRACT]: { balance: 5n } }, {}, CONTRACT],
  ["nothing to a missing account", funded, {}, CONTRACT],
  ["nothing to an empty account", { ...funded, ...emptied }, {}, CONTRACT],
  ["nothing from a missing account", { [CONTRACT]: { balance: 5n } }, {}, CONTRACT],
  ["data to an account", { ...funded, [CONTRACT]: {} }, { input: new Uint8Array(99), value: 1n }, CONTRACT],
  ["value to a precompile", funded, { value: 1n }, 4],
  ["value to a reserved address", funded, { value: 1n }, 0x300],
  ["value to the zero address", funded, { value: 1n }, 0],
  ["value to an account that delegates", { ...funded, ...delegation }, { value: 1n }, CONTRACT],
];

/** Result and changes of a call. */
function outcome(accounts: Readonly<Record<number, TestAccount>>, options: RunOptions, to: number) {
  const state = stateOf(accounts);
  const result = call(state, options, to);
  state.endTransaction();
  const { accounts: changed }: StateChanges = state.changes();
  return { result, changed };
}

describe("a plain transfer", () => {
  for (const [name, accounts, options, to] of CASES) {
    it(`has the engine's result: ${name}`, () => {
      for (const fork of FORKS) {
        // With a tracer, even one without hooks, the engine runs every call.
        const traced = outcome(accounts, { ...options, fork, tracer: {} }, to);
        expect(outcome(accounts, { ...options, fork }, to)).toEqual(traced);
      }
    });
  }
});
