import type { Chain } from "../../../../ledger/chain/chain.ts";
import type { TransactionPool } from "../../../../ledger/txpool/pool.ts";
import { equalBytes, ZERO_ADDRESS } from "../../../../protocol/primitives/bytes.ts";
import { refused } from "../../engine/errors.ts";
import type { CallContext } from "../../spec/method.ts";
import type { EthTransactionArgs } from "../../spec/values/transaction-args.ts";
import type { CallRunner } from "../calls/call-runner.ts";
import type { FeeOracle } from "../fees/fee-oracle.ts";
import { checkCaps } from "./sender.ts";
import { type Filled, inputOf } from "./transaction-builder.ts";

/** What filling in needs. */
export interface EthFillingDeps {
  readonly chain: Chain;
  readonly pool: TransactionPool;
  readonly fees: FeeOracle;
  /** Estimates gas where none is named. */
  readonly runner: CallRunner;
}

/** Arguments with the defaults of the reference node. @throws RpcError -32000 with its texts */
export async function fillEth(
  args: EthTransactionArgs,
  deps: EthFillingDeps,
  context: CallContext,
): Promise<Filled<EthTransactionArgs>> {
  if (
    args.gasPrice !== undefined &&
    (args.maxFeePerGas !== undefined || args.maxPriorityFeePerGas !== undefined)
  )
    throw refused("both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified");
  const priced = { ...args, ...fillPrices(args, deps), value: args.value ?? 0n };
  const nonce = args.nonce ?? deps.pool.nonce(args.from ?? ZERO_ADDRESS);
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

function fillPrices(args: EthTransactionArgs, { chain, fees }: EthFillingDeps): Prices {
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
