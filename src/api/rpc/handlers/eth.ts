import type { Chain } from "../../../ledger/chain/chain.ts";
import type { TransactionPool } from "../../../ledger/txpool/pool.ts";
import { type Address, equalBytes, ZERO_ADDRESS } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { encodeTransaction } from "../../../protocol/transaction/encoding.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import { TypeCode } from "../../../protocol/transaction/types.ts";
import { refused } from "../engine/errors.ts";
import { renderEthSigned } from "../render/eth-transaction.ts";
import type { CallContext, Handlers } from "../spec/method.ts";
import type { EthTransactionArgs } from "../spec/transaction-args.ts";
import type { ethTransactions } from "../spec/transactions.ts";
import type { WireObject } from "../spec/wire-types.ts";
import type { CallRunner } from "./call-runner.ts";
import type { FeeOracle } from "./fee-oracle.ts";
import { checkCaps, type TransactionSender } from "./sender.ts";
import { buildEthTransaction, type Filled, inputOf } from "./transaction-builder.ts";

/** What sending in the eth namespace needs. */
export interface EthSendingDeps {
  readonly chain: Chain;
  readonly pool: TransactionPool;
  readonly fees: FeeOracle;
  readonly sender: TransactionSender;
  readonly runner: CallRunner;
}

/** Sending and signing in the eth namespace. */
export function ethTransactionHandlers(deps: EthSendingDeps): Handlers<typeof ethTransactions> {
  const { sender } = deps;
  const build = async (tx: EthTransactionArgs, context: CallContext) =>
    buildEthTransaction(await fill(tx, deps, context));
  return {
    resend: ({ tx, ...changes }, context) =>
      sender.resend({ ...tx, from: from(tx) }, changes, (args) => build(args, context)),
    sendTransaction: ({ tx }, context) =>
      sender.withNonce(tx, async () =>
        sender.submit(await sender.signWith(from(tx), await build(tx, context))),
      ),
    async signTransaction({ tx }, context) {
      if (tx.gas === undefined) throw refused("gas not specified");
      const capped = tx.maxPriorityFeePerGas !== undefined && tx.maxFeePerGas !== undefined;
      if (tx.gasPrice === undefined && !capped)
        throw refused("missing gasPrice or maxFeePerGas/maxPriorityFeePerGas");
      if (tx.nonce === undefined) throw refused("nonce not specified");
      return result(await sender.signWith(from(tx), await build(tx, context)));
    },
    fillTransaction: async ({ tx }, context) => result(await build(tx, context)),
  };
}

function from(args: EthTransactionArgs): Address {
  return args.from ?? ZERO_ADDRESS;
}

/** Ethereum clients do not know the byte 0x78 in front of typed transactions. */
function result(tx: Transaction): WireObject {
  const bytes = encodeTransaction(tx);
  return {
    raw: bytesToHex(tx.type.code === TypeCode.legacy ? bytes : bytes.subarray(1)),
    tx: renderEthSigned(tx),
  };
}

/** Arguments with the defaults of the reference node. @throws RpcError -32000 with its texts */
async function fill(
  args: EthTransactionArgs,
  deps: EthSendingDeps,
  context: CallContext,
): Promise<Filled<EthTransactionArgs>> {
  if (
    args.gasPrice !== undefined &&
    (args.maxFeePerGas !== undefined || args.maxPriorityFeePerGas !== undefined)
  )
    throw refused("both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified");
  const priced = { ...args, ...fillPrices(args, deps), value: args.value ?? 0n };
  const nonce = args.nonce ?? deps.pool.nonce(from(args));
  checkInput(args);
  const gas = args.gas ?? (await deps.runner.estimateGas(priced, { number: "pending" }, undefined, context));
  return { ...priced, nonce, gas, chainId: args.chainId ?? deps.chain.config.chainId };
}

function checkInput(args: EthTransactionArgs): void {
  const { data, input, to } = args;
  if (data !== undefined && input !== undefined && !equalBytes(data, input)) {
    const advice = 'Please use "input" to pass transaction call data';
    throw refused(`both "data" and "input" are set and not equal. ${advice}`);
  }
  if (to === undefined && inputOf(args).length === 0)
    throw refused("contract creation without any data provided");
}

type Prices = Pick<EthTransactionArgs, "gasPrice" | "maxFeePerGas" | "maxPriorityFeePerGas">;

function fillPrices(args: EthTransactionArgs, { chain, fees }: EthSendingDeps): Prices {
  const { magma, ethTxType } = chain.rulesAt(chain.head.header.number);
  const price = fees.gasPrice();
  const { maxFeePerGas: cap, maxPriorityFeePerGas: tip } = args;
  if (cap !== undefined && tip !== undefined) {
    if (magma && cap < price / 2n) throw refused(`maxFeePerGas (0x${cap.toString(16)}) < BaseFee (${price})`);
    if (!magma) checkCaps({ maxFeePerGas: cap, maxPriorityFeePerGas: tip, price: cap, magma });
    return {};
  }
  if (args.gasPrice !== undefined) return {};
  if (!ethTxType) {
    if (cap === undefined && tip === undefined) return { gasPrice: price };
    throw refused("maxFeePerGas or maxPriorityFeePerGas specified but london is not active yet");
  }
  const maxPriorityFeePerGas = tip ?? fees.tip();
  const maxFeePerGas = cap ?? (magma ? price : maxPriorityFeePerGas);
  checkCaps({ maxFeePerGas, maxPriorityFeePerGas, price, magma });
  return { maxFeePerGas, maxPriorityFeePerGas };
}
