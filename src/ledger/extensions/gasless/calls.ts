import type { Address } from "../../../protocol/primitives/bytes.ts";
import { TransactionError } from "../../../protocol/transaction/errors.ts";
import { recoverSender } from "../../../protocol/transaction/signatures/signers.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import { TypeCode } from "../../../protocol/transaction/types.ts";
import { AbiOutput, callInput, isUnreadable } from "../contracts/abi.ts";

/** A call of a token's `approve`. */
export interface ApproveCall {
  readonly sender: Address;
  readonly token: Address;
  readonly spender: Address;
  readonly amount: bigint;
}

/** A call of a swap router's `swapForGas`. */
export interface SwapCall {
  readonly sender: Address;
  readonly router: Address;
  readonly token: Address;
  readonly amountIn: bigint;
  /** kei */
  readonly minAmountOut: bigint;
  /** kei repaid to the proposer of the block. */
  readonly amountRepay: bigint;
  /** Seconds since 1970. */
  readonly deadline: bigint;
}

const APPROVE = callInput("approve(address,uint256)");
const SWAP = callInput("swapForGas(address,uint256,uint256,uint256,uint256)");

/** Whether a transaction could be part of a gasless bundle, by its type and selector alone. */
export function looksGasless(tx: Transaction): boolean {
  return calls(tx, APPROVE) || calls(tx, SWAP);
}

/** The call of `approve` made by a legacy transaction; undefined if it makes another call, or none. */
export function approveCall(tx: Transaction, chainId: bigint): ApproveCall | undefined {
  return decoded(tx, APPROVE, chainId, (sender, token, args) => ({
    sender,
    token,
    spender: args.address(0),
    amount: args.uint(1),
  }));
}

/** The call of `swapForGas` made by a legacy transaction; undefined if it makes another call, or none. */
export function swapCall(tx: Transaction, chainId: bigint): SwapCall | undefined {
  return decoded(tx, SWAP, chainId, (sender, router, args) => ({
    sender,
    router,
    token: args.address(0),
    amountIn: args.uint(1),
    minAmountOut: args.uint(2),
    amountRepay: args.uint(3),
    deadline: args.uint(4),
  }));
}

/** Legacy transactions only: the fee of other types is not known in advance. */
function calls({ type, to, input }: Transaction, selector: Uint8Array): boolean {
  if (type.code !== TypeCode.legacy || to === undefined || input[0] !== selector[0]) return false;
  return selector.every((byte, at) => input[at] === byte);
}

function decoded<T>(
  tx: Transaction,
  selector: Uint8Array,
  chainId: bigint,
  read: (sender: Address, to: Address, args: AbiOutput) => T,
): T | undefined {
  if (!calls(tx, selector) || tx.to === undefined) return undefined;
  try {
    return read(recoverSender(tx, chainId).sender, tx.to, new AbiOutput(tx.input.subarray(4)));
  } catch (error) {
    // Truncated arguments, or an invalid signature.
    if (isUnreadable(error) || error instanceof TransactionError) return undefined;
    throw error;
  }
}
