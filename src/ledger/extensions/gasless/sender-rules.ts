import { hasCode } from "../../../protocol/account/account.ts";
import { checksumAddress } from "../../../protocol/account/address.ts";
import type { Address } from "../../../protocol/primitives/bytes.ts";
import type { StateReader } from "../../state/state.ts";
import type { ApproveCall, SwapCall } from "./calls.ts";
import type { GaslessContracts } from "./swap-router.ts";

const NO_ANSWER = "execution reverted";

/** Why the fee of an approval is not lent, in the reference node's words; undefined when it is. */
export function approveRefusal(
  { sender, token }: ApproveCall,
  state: StateReader,
  contracts: GaslessContracts,
): string | undefined {
  if (isContract(sender, state)) return "sender with code is not allowed";
  const balance = contracts.balance(token, sender);
  if (balance === undefined) return NO_ANSWER;
  if (balance > 0n) return undefined;
  return `insufficient sender token balance: token=${checksumAddress(token)}, have=0, want=nonzero`;
}

/** Where a swap would run. */
export interface SwapPlace {
  readonly state: StateReader;
  readonly contracts: GaslessContracts;
  /** Whether no approval can come before the swap. */
  readonly isFirst: boolean;
  /** Seconds since 1970. */
  readonly time: bigint;
}

/** Why the fee of a swap is not lent, in the reference node's words and order; undefined when it is. */
export function swapRefusal(swap: SwapCall, place: SwapPlace): string | undefined {
  const { minAmountOut, amountRepay, deadline } = swap;
  if (minAmountOut < amountRepay)
    return `insufficient minAmountOut: minAmountOut=${minAmountOut}, amountRepay=${amountRepay}`;
  if (isContract(swap.sender, place.state)) return "sender with code is not allowed";
  const refusal = amountRefusal(swap, place);
  if (refusal !== undefined || deadline >= place.time) return refusal;
  return `insufficient deadline: deadline=${deadline}, want=${place.time}`;
}

function amountRefusal(
  { sender, router, token, amountIn, minAmountOut }: SwapCall,
  { contracts, isFirst }: SwapPlace,
): string | undefined {
  const needed = contracts.amountIn(router, token, minAmountOut);
  if (needed === undefined) return NO_ANSWER;
  if (amountIn < needed) return `insufficient amountIn: have=${amountIn}, want=${needed}`;
  if (isFirst) {
    const approval = contracts.allowance(token, sender, router);
    if (approval === undefined) return NO_ANSWER;
    if (approval < amountIn) return `insufficient approval: approval=${approval}, want=${amountIn}`;
  }
  const balance = contracts.balance(token, sender);
  if (balance === undefined) return NO_ANSWER;
  return balance < amountIn ? `insufficient balance: balance=${balance}, want=${amountIn}` : undefined;
}

function isContract(address: Address, state: StateReader): boolean {
  const account = state.account(address);
  return account !== undefined && hasCode(account);
}
