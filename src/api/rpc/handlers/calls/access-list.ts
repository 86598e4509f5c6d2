import { CallError } from "../../../../ledger/execution/errors.ts";
import type { FoundAccessList } from "../../../../ledger/execution/job.ts";
import { contractAddress } from "../../../../protocol/account/address.ts";
import { AUTHORIZATION_GAS, UPPER_GAS_LIMIT } from "../../../../protocol/params/gas.ts";
import { type Address, ZERO_ADDRESS } from "../../../../protocol/primitives/bytes.ts";
import { bytesToHex, hexQuantity } from "../../../../protocol/primitives/hex.ts";
import { MAX_UINT64 } from "../../../../protocol/primitives/integers.ts";
import { accessList as accessListField } from "../../../../protocol/transaction/fields.ts";
import { transactionHash } from "../../../../protocol/transaction/hash.ts";
import { authorityOf } from "../../../../protocol/transaction/signatures/signers.ts";
import type { Authorization } from "../../../../protocol/transaction/transaction.ts";
import { refused } from "../../engine/errors.ts";
import type { CallContext } from "../../spec/method.ts";
import type { BlockRef } from "../../spec/values/block-ref.ts";
import type { EthTransactionArgs } from "../../spec/values/transaction-args.ts";
import type { WireObject } from "../../spec/values/wire-types.ts";
import { type EthFillingDeps, fillEth } from "../transactions/eth-defaults.ts";
import { buildEthTransaction, type Filled } from "../transactions/transaction-builder.ts";

/**
 * Computes the access list of a transaction after filling in defaults: gas up to the cap, the rest as for sending.
 * @throws RpcError -32000 for a transaction that cannot be sent as it is
 * @see api/api_eth.go of the reference node v2.2.1 for the order of the checks and their texts
 */
export async function createAccessList(
  deps: EthFillingDeps,
  args: EthTransactionArgs,
  at: BlockRef,
  context: CallContext,
): Promise<WireObject> {
  deps.runner.checkBlock(at);
  const filled = await fillEth({ ...args, gas: args.gas ?? UPPER_GAS_LIMIT }, deps, context);
  const authorizations = filled.authorizationList ?? [];
  if (BigInt(authorizations.length) > filled.gas / AUTHORIZATION_GAS)
    throw refused("insufficient gas to process all authorizations");
  try {
    return shown(await deps.runner.accessList(filled, at, excludedOf(filled, deps), context));
  } catch (error) {
    if (!(error instanceof CallError) || error.code !== "CALL_REJECTED") throw error;
    throw refused(`failed to apply transaction: ${hashOf(filled)} err: ${(error.cause as Error).message}`);
  }
}

function shown({ list, error, gasUsed }: FoundAccessList): WireObject {
  return {
    accessList: accessListField.schema.encode(list),
    ...(error !== undefined && { error }),
    gasUsed: hexQuantity(gasUsed),
  };
}

/** Hash of the filled-in transaction, unsigned. */
function hashOf(args: Filled<EthTransactionArgs>): string {
  return bytesToHex(transactionHash(buildEthTransaction({ ...args, accessList: args.accessList ?? [] })));
}

/** Accounts that are warm without a list: sender, receiver, and authorities of authorizations that may be valid here. */
function excludedOf(args: Filled<EthTransactionArgs>, { chain }: EthFillingDeps): ReadonlySet<string> {
  const from = args.from ?? ZERO_ADDRESS;
  const to = args.to ?? contractAddress(from, args.nonce);
  const mayBeValid = ({ chainId, nonce }: Authorization): boolean =>
    (chainId === 0n || chainId === chain.config.chainId) && nonce < MAX_UINT64;
  const authorities = (args.authorizationList ?? [])
    .filter(mayBeValid)
    .map(authorityOf)
    .filter((one): one is Address => one !== undefined);
  return new Set([from, to, ...authorities].map(bytesToHex));
}
