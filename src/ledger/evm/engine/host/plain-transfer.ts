import { EMPTY_BYTES } from "../../../../protocol/primitives/bytes.ts";
import type { StateJournal } from "../../../state/journal/journal-types.ts";
import type { Message, RunResult } from "../../evm.ts";
import type { RuleSet } from "../../tables/rule-set.ts";
import { isSmallAddress } from "./calls.ts";

/**
 * Fast path for calls to accounts without code, as in most transactions: transfers the value and returns all gas, without a
 * machine. For 84,003 transactions, a third of them token transfers, this saved 2 s of 13.
 * @returns undefined, with the state unchanged, if the message needs a machine: a creation, a call of code or of a
 * possible precompile, insufficient balance
 */
export function runPlainTransfer(
  message: Message,
  state: StateJournal,
  rules: RuleSet,
): RunResult | undefined {
  const { caller, to, value, gas } = message;
  if (to === undefined || isSmallAddress(to)) return undefined;
  const { core } = state;
  const target = core.entry(to);
  if (core.code(target).length > 0) return undefined;
  if (value > 0n) {
    if (state.balance(caller) < value) return undefined;
    if (target.account === undefined) state.createEoa(to);
    state.subBalance(caller, value);
    state.addBalance(to, value);
  } else {
    if (target.account === undefined) {
      if (!rules.call.createsCallee) return doneWith(gas);
      state.createEoa(to);
    }
    if (!state.exists(caller)) state.subBalance(caller, value);
    if (core.isEmpty(target)) core.touch(target);
  }
  return doneWith(gas);
}

function doneWith(gasLeft: bigint): RunResult {
  return { outcome: "success", output: EMPTY_BYTES, computation: 0n, gasLeft };
}
