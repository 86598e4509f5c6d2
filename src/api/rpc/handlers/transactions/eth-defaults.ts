import type { Chain } from "../../../../ledger/chain/chain.ts";
import type { StateReader } from "../../../../ledger/state/state.ts";
import type { TransactionPool } from "../../../../ledger/txpool/pool.ts";
import { TRANSACTION_GAS } from "../../../../protocol/params/gas.ts";
import { equalBytes, ZERO_ADDRESS } from "../../../../protocol/primitives/bytes.ts";
import { ErrorCode, RpcError, refused } from "../../engine/errors.ts";
import type { CallContext } from "../../spec/method.ts";
import { PENDING_BLOCK } from "../../spec/values/block-ref.ts";
import type { EthTransactionArgs } from "../../spec/values/transaction-args.ts";
import type { CallRunner } from "../calls/call-runner.ts";
import type { ChainReader } from "../chain/chain-reader.ts";
import type { FeeOracle } from "../fees/fee-oracle.ts";
import { checkCaps } from "./sender.ts";
import { type Filled, inputOf } from "./transaction-builder.ts";

/** What filling in defaults needs. */
export interface EthFillingDeps {
  readonly chain: Chain;
  readonly pool: TransactionPool;
  readonly fees: FeeOracle;
  /** Estimates gas if none is given. */
  readonly runner: CallRunner;
  /** Reads the sender's balance, if a default gas limit gets a margin above the estimate; absent = no margin. */
  readonly balanceReader?: ChainReader | undefined;
  /** Whether the error for a cap below the base fee is worded as viem recognises it, instead of as the reference does. */
  readonly matchesAnvil?: boolean;
}

/**
 * Minimum margin above an estimate. The lowest gas limit that succeeds now is too low when an earlier transaction of
 * the block makes it more expensive (slots no longer warm or in use), or when a call whose failure is ignored gets
 * 63/64 of it. For these reasons Hardhat Network uses the gas limit of the block. @see EIP-150, EIP-2929
 */
const MIN_MARGIN = 1_000_000n;

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
  const gas = args.gas ?? (await enoughGas(priced, deps, context));
  return { ...priced, nonce, gas, chainId: args.chainId ?? deps.chain.config.chainId };
}

/** The estimate; with a margin as large as itself, at least `MIN_MARGIN`, as far as the sender can afford it. */
async function enoughGas(
  args: EthTransactionArgs,
  { runner, balanceReader }: EthFillingDeps,
  context: CallContext,
): Promise<bigint> {
  const estimate = await runner.estimateGas(args, PENDING_BLOCK, undefined, context);
  // A transaction at the intrinsic cost runs no code.
  if (balanceReader === undefined || estimate === TRANSACTION_GAS) return estimate;
  const wanted = estimate + (estimate > MIN_MARGIN ? estimate : MIN_MARGIN);
  const affordable = affordableGas(args, balanceReader.stateAt(PENDING_BLOCK).state) ?? wanted;
  if (affordable <= estimate) return estimate;
  return affordable < wanted ? affordable : wanted;
}

/** Gas that the sender can afford besides the value; undefined if gas is free. */
function affordableGas(args: EthTransactionArgs, state: StateReader): bigint | undefined {
  const price = args.maxFeePerGas ?? args.gasPrice ?? 0n;
  if (price === 0n) return undefined;
  const balance = state.account(args.from ?? ZERO_ADDRESS)?.balance ?? 0n;
  return (balance - (args.value ?? 0n)) / price;
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

function fillPrices(args: EthTransactionArgs, { chain, fees, matchesAnvil }: EthFillingDeps): Prices {
  const { magma, ethTxType } = chain.rulesAt(chain.head.header.number);
  const price = fees.gasPrice();
  const { maxFeePerGas: cap, maxPriorityFeePerGas: tip } = args;
  if (magma && cap !== undefined && cap < price / 2n) {
    const text = `maxFeePerGas (0x${cap.toString(16)}) < BaseFee (${price})`;
    if (!matchesAnvil) throw refused(text);
    throw new RpcError(ErrorCode.server, "max fee per gas less than block base fee", { hint: text });
  }
  if (cap !== undefined && tip !== undefined) {
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
