import { retryUntilLoadedAsync } from "../../../../ledger/state/missing-state.ts";
import { type Address, ZERO_ADDRESS } from "../../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import { encodeTransaction } from "../../../../protocol/transaction/encoding.ts";
import type { Transaction } from "../../../../protocol/transaction/transaction.ts";
import { TypeCode } from "../../../../protocol/transaction/types.ts";
import { createTransaction } from "../../../../protocol/transaction/value.ts";
import { refused } from "../../engine/errors.ts";
import { renderEthSigned } from "../../render/eth-transaction.ts";
import type { CallContext, Handlers } from "../../spec/method.ts";
import type { ethTransactions } from "../../spec/transactions/transactions.ts";
import type { EthTransactionArgs } from "../../spec/values/transaction-args.ts";
import type { WireObject } from "../../spec/values/wire-types.ts";
import { type EthFillingDeps, fillEth } from "./eth-defaults.ts";
import type { TransactionSender } from "./sender.ts";
import { buildEthTransaction } from "./transaction-builder.ts";

/** Default `from` of requests, as in Hardhat Network and anvil; undefined = the zero address, as in the reference. */
export type DefaultSender = () => Address | undefined;

/** What sending in the eth namespace needs. */
export interface EthSendingDeps extends EthFillingDeps {
  readonly sender: TransactionSender;
  readonly defaultSender?: DefaultSender | undefined;
}

/** Sending and signing in the eth namespace. */
export function ethTransactionHandlers(deps: EthSendingDeps): Handlers<typeof ethTransactions> {
  const { sender, defaultSender } = deps;
  const withSender = (tx: EthTransactionArgs): EthTransactionArgs & { readonly from: Address } => ({
    ...tx,
    from: tx.from ?? defaultSender?.() ?? ZERO_ADDRESS,
  });
  const build = async (tx: EthTransactionArgs, context: CallContext) =>
    buildEthTransaction(await fillEth(tx, deps, context));
  return {
    resend: ({ tx, ...changes }, context) =>
      sender.resend(withSender(tx), changes, (args) => build(args, context)),
    sendTransaction({ tx: asked }, context) {
      const tx = withSender(asked);
      return sender.withNonce(tx, async () => {
        // Missing state is awaited here: if restarted from outside, other transactions of the account would overtake
        // it.
        const built = await retryUntilLoadedAsync(() => build(tx, context));
        return sender.submit(await sender.signWith(tx.from, built));
      });
    },
    async signTransaction({ tx: asked }, context) {
      const tx = withSender(asked);
      if (tx.gas === undefined) throw refused("gas not specified");
      const capped = tx.maxPriorityFeePerGas !== undefined && tx.maxFeePerGas !== undefined;
      if (tx.gasPrice === undefined && !capped)
        throw refused("missing gasPrice or maxFeePerGas/maxPriorityFeePerGas");
      if (tx.nonce === undefined) throw refused("nonce not specified");
      return result(await sender.signWith(tx.from, await build(tx, context)));
    },
    async fillTransaction({ tx }, context) {
      const built = await build(withSender(tx), context);
      return tx.authorizationList !== undefined && tx.gasPrice !== undefined
        ? uncapped(built)
        : result(built);
    },
  };
}

/** Ethereum clients do not know the byte 0x78 in front of typed transactions. */
function result(tx: Transaction): { readonly raw: string; readonly tx: WireObject } {
  const bytes = encodeTransaction(tx);
  return {
    raw: bytesToHex(tx.type.code === TypeCode.legacy ? bytes : bytes.subarray(1)),
    tx: renderEthSigned(tx),
  };
}

/** The reference ignores the price of a type with caps, and sets neither: zero in the bytes, null in the readable form. */
function uncapped(tx: Transaction): WireObject {
  const { raw, tx: shown } = result(createTransaction({ ...tx, gasPrice: 0n, maxPriorityFeePerGas: 0n }));
  return { raw, tx: { ...shown, maxPriorityFeePerGas: null, maxFeePerGas: null } };
}
