import { StateError } from "./errors.ts";
import type { StateReader } from "./state.ts";

/**
 * The state after a block, readable even while later blocks arrive: it is looked up for each read, since the newest state
 * soon becomes a historical one.
 * @throws StateError `STATE_PRUNED` on a read, once the state is no longer kept
 */
export function stableState(
  stateAt: (number: bigint) => StateReader | undefined,
  number: bigint,
): StateReader {
  const state = (): StateReader => {
    const found = stateAt(number);
    if (found === undefined)
      throw new StateError("STATE_PRUNED", `historical state of block ${number} is not kept`);
    return found;
  };
  return {
    account: (address) => state().account(address),
    storage: (address, slot) => state().storage(address, slot),
    code: (hash) => state().code(hash),
  };
}
