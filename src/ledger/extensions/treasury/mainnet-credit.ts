import type { ChainConfig } from "../../../protocol/params/config.ts";
import type { BlockHooks, BlockOutcome } from "../../chain/execute/consensus-rules.ts";
import type { StateJournal } from "../../state/journal/journal-types.ts";
import { MAINNET_CREDIT } from "../contracts/addresses.ts";
import { ExtensionError } from "../errors.ts";

const MAINNET_CHAIN_ID = 8217n;
/** Keccak-256 of the contract's new code. @see reference node v2.2.1 */
const NEW_CODE_HASH = "0xb45837dfb0d4edd411a8962780361c0b984e2a25a5a03be465ae9731a5d5c0ab";

/**
 * Stops before mainnet block 162,900,479, the last before kaia, which replaces the code of the credit contract. The new code
 * is a constant that this program does not have; without it, all later state roots would differ.
 */
export function mainnetCreditHooks({ chainId, forks }: ChainConfig): BlockHooks {
  const replacedIn = chainId === MAINNET_CHAIN_ID && forks.kaia ? forks.kaia - 1n : undefined;
  return {
    finalize({ header: { number } }: BlockOutcome, state: StateJournal): void {
      if (number !== replacedIn || !state.exists(MAINNET_CREDIT)) return;
      const text =
        `block ${number} replaces the code of the mainnet credit contract by one that this program does not have (hash ` +
        `${NEW_CODE_HASH}): the chain ends at block ${number - 1n}`;
      throw new ExtensionError("CODE_UNKNOWN", text, { number });
    },
  };
}
