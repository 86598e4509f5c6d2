import type { FoundAccessList } from "../../../ledger/execution/job.ts";
import { contractAddress } from "../../../protocol/account/address.ts";
import { type Address, ZERO_ADDRESS } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { accessList as accessListField } from "../../../protocol/transaction/fields.ts";
import { authorityOf } from "../../../protocol/transaction/signers.ts";
import { hexQuantity } from "../render/columns.ts";
import type { BlockRef } from "../spec/block-ref.ts";
import type { CallContext } from "../spec/method.ts";
import type { EthTransactionArgs } from "../spec/transaction-args.ts";
import type { WireObject } from "../spec/wire-types.ts";
import type { CallRunner } from "./call-runner.ts";

/**
 * Finds out what a transaction touches.
 * @param nonce of the sender, for the address of a contract that the transaction creates
 */
export function createAccessList(
  runner: CallRunner,
  args: EthTransactionArgs,
  at: BlockRef,
  nonce: bigint,
  context: CallContext,
): WireObject | Promise<WireObject> {
  const found = runner.accessList(args, at, excludedOf(args, nonce), context);
  return found instanceof Promise ? found.then(shown) : shown(found);
}

function shown({ list, error, gasUsed }: FoundAccessList): WireObject {
  return {
    accessList: accessListField.schema.encode(list),
    ...(error !== undefined && { error }),
    gasUsed: hexQuantity(gasUsed),
  };
}

/** Accounts that are warm without a list: sender, receiver and authorities. */
function excludedOf(args: EthTransactionArgs, nonce: bigint): ReadonlySet<string> {
  const from = args.from ?? ZERO_ADDRESS;
  const to = args.to ?? contractAddress(from, args.nonce ?? nonce);
  const authorities = (args.authorizationList ?? [])
    .map(authorityOf)
    .filter((one): one is Address => one !== undefined);
  return new Set([from, to, ...authorities].map(bytesToHex));
}
