import { hasCode } from "../../../protocol/account/account.ts";
import { checksumAddress } from "../../../protocol/account/address.ts";
import type { Address } from "../../../protocol/primitives/bytes.ts";
import type { StateReader } from "../../state/state.ts";
import type { ApproveCall, SwapCall } from "./calls.ts";
import type { GaslessContracts } from "./swap-router.ts";

const CALL_FAILED = "execution reverted";

/** Levels of checks before a fee is lent; each includes the lower ones. */
export const CheckLevel = { static: 0, token: 1, swapAmount: 2, all: 3 } as const;

/** The state in which an approval or a swap would be executed. */
export interface LoanContext {
  readonly state: StateReader;
  readonly contracts: GaslessContracts;
  /** One of `CheckLevel`, or any number. */
  readonly level: number;
}

/** Why the fee of an approval is not lent, as worded by the reference node; undefined if it is. */
export function approveRefusal({ sender, token }: ApproveCall, context: LoanContext): string | undefined {
  const { state, contracts, level } = context;
  if (level >= CheckLevel.all && isContract(sender, state)) return "sender with code is not allowed";
  if (level < CheckLevel.token) return undefined;
  const balance = contracts.balance(token, sender);
  if (balance === undefined) return CALL_FAILED;
  if (balance > 0n) return undefined;
  return `insufficient sender token balance: token=${checksumAddress(token)}, have=0, want=nonzero`;
}

/** The state in which a swap would be executed. */
export interface SwapLoanContext extends LoanContext {
  /** Whether no approval can precede the swap. */
  readonly isFirst: boolean;
  /** Seconds since 1970. */
  readonly time: bigint;
}

/** Why the fee of a swap is not lent, in the reference node's wording and order; undefined if it is. */
export function swapRefusal(swap: SwapCall, context: SwapLoanContext): string | undefined {
  const { minAmountOut, amountRepay, deadline } = swap;
  if (minAmountOut < amountRepay)
    return `insufficient minAmountOut: minAmountOut=${minAmountOut}, amountRepay=${amountRepay}`;
  if (context.level >= CheckLevel.all && isContract(swap.sender, context.state))
    return "sender with code is not allowed";
  const refusal = amountRefusal(swap, context) ?? tokenRefusal(swap, context);
  if (refusal !== undefined || deadline >= context.time) return refusal;
  return `insufficient deadline: deadline=${deadline}, want=${context.time}`;
}

function amountRefusal({ router, token, amountIn, minAmountOut }: SwapCall, context: SwapLoanContext) {
  const { contracts, level } = context;
  if (level < CheckLevel.swapAmount) return undefined;
  const needed = contracts.amountIn(router, token, minAmountOut);
  if (needed === undefined) return CALL_FAILED;
  return amountIn < needed ? `insufficient amountIn: have=${amountIn}, want=${needed}` : undefined;
}

function tokenRefusal({ sender, router, token, amountIn }: SwapCall, context: SwapLoanContext) {
  const { contracts, level, isFirst } = context;
  if (level < CheckLevel.token) return undefined;
  if (isFirst) {
    const approval = contracts.allowance(token, sender, router);
    if (approval === undefined) return CALL_FAILED;
    if (approval < amountIn) return `insufficient approval: approval=${approval}, want=${amountIn}`;
  }
  const balance = contracts.balance(token, sender);
  if (balance === undefined) return CALL_FAILED;
  return balance < amountIn ? `insufficient balance: balance=${balance}, want=${amountIn}` : undefined;
}

function isContract(address: Address, state: StateReader): boolean {
  const account = state.account(address);
  return account !== undefined && hasCode(account);
}
