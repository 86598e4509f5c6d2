import { hasCode } from "../../../protocol/account/account.ts";
import { checksumAddress } from "../../../protocol/account/address.ts";
import type { Address } from "../../../protocol/primitives/bytes.ts";
import type { StateReader } from "../../state/state.ts";
import type { ApproveCall, SwapCall } from "./calls.ts";
import type { GaslessContracts } from "./swap-router.ts";

const NO_ANSWER = "execution reverted";

/** Levels of checks before a fee is lent; each includes those before it. */
export const CheckLevel = { static: 0, token: 1, swapAmount: 2, all: 3 } as const;

/** Where an approval or a swap would run. */
export interface CallPlace {
  readonly state: StateReader;
  readonly contracts: GaslessContracts;
  /** One of `CheckLevel`, or any number in its place. */
  readonly level: number;
}

/** Why the fee of an approval is not lent, in the reference node's words; undefined when it is. */
export function approveRefusal({ sender, token }: ApproveCall, place: CallPlace): string | undefined {
  const { state, contracts, level } = place;
  if (level >= CheckLevel.all && isContract(sender, state)) return "sender with code is not allowed";
  if (level < CheckLevel.token) return undefined;
  const balance = contracts.balance(token, sender);
  if (balance === undefined) return NO_ANSWER;
  if (balance > 0n) return undefined;
  return `insufficient sender token balance: token=${checksumAddress(token)}, have=0, want=nonzero`;
}

/** Where a swap would run. */
export interface SwapPlace extends CallPlace {
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
  if (place.level >= CheckLevel.all && isContract(swap.sender, place.state))
    return "sender with code is not allowed";
  const refusal = amountRefusal(swap, place) ?? tokenRefusal(swap, place);
  if (refusal !== undefined || deadline >= place.time) return refusal;
  return `insufficient deadline: deadline=${deadline}, want=${place.time}`;
}

function amountRefusal({ router, token, amountIn, minAmountOut }: SwapCall, place: SwapPlace) {
  const { contracts, level } = place;
  if (level < CheckLevel.swapAmount) return undefined;
  const needed = contracts.amountIn(router, token, minAmountOut);
  if (needed === undefined) return NO_ANSWER;
  return amountIn < needed ? `insufficient amountIn: have=${amountIn}, want=${needed}` : undefined;
}

function tokenRefusal({ sender, router, token, amountIn }: SwapCall, place: SwapPlace) {
  const { contracts, level, isFirst } = place;
  if (level < CheckLevel.token) return undefined;
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
