import type { AccountOverride } from "../../../../ledger/execution/calls/overrides.ts";
import { hexToBytes } from "../../../../protocol/primitives/hex.ts";
import type { StateOverrides } from "../../spec/calls/calls.ts";

/** Overrides in the form in which they are applied. */
export function toAccountOverrides(overrides: StateOverrides): AccountOverride[] {
  const slots = (map: ReadonlyMap<string, Uint8Array> | undefined) =>
    map && [...map].map(([slot, value]) => ({ slot: hexToBytes(slot), value }));
  return [...overrides].map(([address, { nonce, code, balance, state, stateDiff }]) => ({
    ...{ nonce, code, balance },
    address: hexToBytes(address),
    state: slots(state),
    stateDiff: slots(stateDiff),
  }));
}
