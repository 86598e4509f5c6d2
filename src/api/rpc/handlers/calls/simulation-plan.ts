import type { BlockContext } from "../../../../ledger/evm/evm.ts";
import { callGas } from "../../../../ledger/execution/calls/call.ts";
import { MAX_SIMULATED_BYTES } from "../../../../ledger/execution/calls/simulate.ts";
import type {
  SimulatedBlock,
  SimulatedCall,
  SimulationBudget,
  SimulationWork,
} from "../../../../ledger/execution/job.ts";
import type { Header } from "../../../../protocol/block/header.ts";
import type { ParamSet } from "../../../../protocol/params/config.ts";
import { EMPTY_BYTES, ZERO_ADDRESS } from "../../../../protocol/primitives/bytes.ts";
import { TypeCode } from "../../../../protocol/transaction/types.ts";
import { RpcError, refused } from "../../engine/errors.ts";
import {
  MAX_SIMULATED_BLOCKS,
  MAX_SIMULATED_CALLS,
  type SimulationArgs,
} from "../../spec/calls/simulation.ts";
import type { EthTransactionArgs } from "../../spec/values/transaction-args.ts";
import { inputOf } from "../transactions/transaction-builder.ts";
import { toAccountOverrides } from "./account-overrides.ts";
import { precompileMoves } from "./precompile-moves.ts";

/** Error codes. @see execution-apis, `eth_simulateV1` */
const NUMBER_ORDER = -38020;
const TIME_ORDER = -38021;
/** Of blocks, or of calls in them. */
const TOO_MANY = -38026;

/** What a simulation starts from. */
export interface SimulationBase {
  readonly header: Header;
  readonly context: BlockContext;
  readonly params: Pick<ParamSet, "deriveShaImpl">;
  /** Of the block after it, kei. */
  readonly nextBaseFee: bigint;
  /** The node's own limit; 0 = none. */
  readonly gasCap: bigint;
}

/** What a simulation runs: its blocks by number, without gaps, and what their work has in common. */
export interface SimulationPlan {
  readonly blocks: readonly SimulatedBlock[];
  readonly shared: Omit<SimulationWork, "block" | "hashes" | "parentHash" | "left">;
  /** For all blocks together. */
  readonly room: SimulationBudget;
}

/** Plans a simulation. @throws RpcError -38020, -38021, -38026, -32000 */
export function planSimulation(args: SimulationArgs, base: SimulationBase): SimulationPlan {
  const { header, params, gasCap } = base;
  checkSize(args);
  return {
    blocks: blocksOf(args, base),
    shared: {
      kind: "simulate",
      template: { ...header, extra: EMPTY_BYTES },
      deriveShaImpl: params.deriveShaImpl,
      validation: args.validation ?? false,
      traceTransfers: args.traceTransfers ?? false,
    },
    room: { gas: callGas(undefined, gasCap), bytes: MAX_SIMULATED_BYTES },
  };
}

/** @throws RpcError -32602, -38026 */
function checkSize({ blockStateCalls }: SimulationArgs): void {
  if (blockStateCalls.length === 0) throw new RpcError(-32602, "empty input");
  if (blockStateCalls.length > MAX_SIMULATED_BLOCKS) throw new RpcError(TOO_MANY, "too many blocks");
  const calls = blockStateCalls.reduce((sum, block) => sum + (block.calls?.length ?? 0), 0);
  if (calls > MAX_SIMULATED_CALLS)
    throw new RpcError(TOO_MANY, `too many calls: at most ${MAX_SIMULATED_CALLS} in all blocks`);
}

function blocksOf(
  { blockStateCalls, validation = false }: SimulationArgs,
  base: SimulationBase,
): SimulatedBlock[] {
  const { context, header } = base;
  const defaults = {
    ...{ coinbase: context.coinbase, prevRandao: 0n, blobBaseFee: context.blobBaseFee, gasLimit: undefined },
    ...{ baseFee: validation ? base.nextBaseFee : 0n, overrides: undefined, moves: undefined, calls: [] },
  };
  const blocks: SimulatedBlock[] = [];
  let { number, time } = header;
  for (const { blockOverrides: own = {}, stateOverrides, calls = [] } of blockStateCalls) {
    const next = own.number ?? number + 1n;
    if (next <= number)
      throw new RpcError(NUMBER_ORDER, `block numbers must be in order: ${next} <= ${number}`);
    if (next - header.number > BigInt(MAX_SIMULATED_BLOCKS)) throw new RpcError(TOO_MANY, "too many blocks");
    while (number + 1n < next) blocks.push({ ...defaults, number: ++number, time: ++time });
    const begun = own.time ?? time + 1n;
    if (begun <= time)
      throw new RpcError(TIME_ORDER, `block timestamps must be in order: ${begun} <= ${time}`);
    number = next;
    time = begun;
    blocks.push({
      ...{ number, time, gasLimit: own.gasLimit },
      coinbase: own.feeRecipient ?? defaults.coinbase,
      prevRandao: own.prevRandao ?? defaults.prevRandao,
      baseFee: own.baseFeePerGas ?? defaults.baseFee,
      blobBaseFee: own.blobBaseFee ?? defaults.blobBaseFee,
      overrides: stateOverrides && toAccountOverrides(stateOverrides),
      moves: stateOverrides && precompileMoves(stateOverrides, context.rules),
      calls: calls.map(simulatedCall),
    });
  }
  return blocks;
}

/** @throws RpcError -32000 if prices contradict each other */
function simulatedCall(args: EthTransactionArgs): SimulatedCall {
  const { from, to, value, gas, nonce, gasPrice, maxFeePerGas, maxPriorityFeePerGas } = args;
  const { accessList, authorizationList } = args;
  if (gasPrice !== undefined && (maxFeePerGas !== undefined || maxPriorityFeePerGas !== undefined))
    throw refused("both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified");
  if (authorizationList !== undefined && to === undefined)
    throw refused("SetCodeTx must have a non-nil recipient address");
  const typeCode = typeOf(args);
  const hasTip = typeCode === TypeCode.dynamicFee || typeCode === TypeCode.setCode;
  return {
    ...{ typeCode, from: from ?? ZERO_ADDRESS, to, value: value ?? 0n, input: inputOf(args), gas, nonce },
    gasPrice: gasPrice ?? maxFeePerGas ?? 0n,
    maxPriorityFeePerGas: hasTip ? (maxPriorityFeePerGas ?? 0n) : undefined,
    ...{ accessList, authorizationList },
  };
}

/** Without any price it counts as a dynamic fee transaction, as in the reference cases. */
function typeOf({ gasPrice, accessList, authorizationList }: EthTransactionArgs): number {
  if (authorizationList !== undefined) return TypeCode.setCode;
  if (gasPrice === undefined) return TypeCode.dynamicFee;
  return accessList === undefined ? TypeCode.legacy : TypeCode.accessList;
}
