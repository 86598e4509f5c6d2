import type { BlockContext, Evm } from "../../../../ledger/evm/evm.ts";
import { EvmTimeout } from "../../../../ledger/evm/evm.ts";
import {
  type CallRequest,
  type CallResult,
  callGas,
  defaultCallPrice,
  type FeeCredit,
} from "../../../../ledger/execution/calls/call.ts";
import type { AccountOverride } from "../../../../ledger/execution/calls/overrides.ts";
import { failureOf } from "../../../../ledger/execution/calls/revert.ts";
import { computationLimitAt, createBlockContext } from "../../../../ledger/execution/environment.ts";
import type {
  AccessListWork,
  CallsTraceWork,
  CallTraceWork,
  CallWork,
  EstimateWork,
  FoundAccessList,
  TracerChoice,
  ValueOfWork,
} from "../../../../ledger/execution/job.ts";
import type { JobBlock } from "../../../../ledger/execution/jobs/run-job.ts";
import type { Header } from "../../../../protocol/block/header.ts";
import { ZERO_ADDRESS } from "../../../../protocol/primitives/bytes.ts";
import { refused } from "../../engine/errors.ts";
import type { CallContext } from "../../spec/method.ts";
import type { BlockRef } from "../../spec/values/block-ref.ts";
import type { EthTransactionArgs } from "../../spec/values/transaction-args.ts";
import type { ChainReader, LocatedState } from "../chain/chain-reader.ts";
import type { Executor, Plan, Query } from "../execution/executor.ts";
import { inputOf } from "../transactions/transaction-builder.ts";
import { toAccountOverrides } from "./account-overrides.ts";
import { toAnvilError } from "./anvil-errors.ts";
import { type CallOverrides, overriddenContext } from "./call-overrides.ts";

/** Accounts and slots that can be overridden within a time slice of the main thread. */
const SHORT_OVERRIDES = 256;

/** Limits of calls. */
export interface CallLimits {
  /** Gas cap; 0 = only the protocol's limit. */
  readonly gasCap: bigint;
  /** Time limit of a request, or of a whole batch. */
  readonly timeoutMs: number;
}

/** What running calls needs. */
export interface CallDeps {
  readonly reader: ChainReader;
  readonly evm: Evm;
  readonly executor: Executor;
  readonly limits: CallLimits;
  /** Whether failures are worded as by anvil, see `toAnvilError`. */
  readonly matchesAnvil: boolean;
  /** What the caller of `eth_createAccessList` is credited for the fee. */
  readonly accessListCredit: FeeCredit;
}

/** The members of a call that the namespaces share. */
export type CallArguments = Omit<EthTransactionArgs, "nonce" | "chainId"> & Pick<CallRequest, "isListFree">;

/** Runs calls on the state after a block; their effects are discarded. */
export class CallRunner {
  readonly #deps: CallDeps;
  /** The block context of calls; reusing the same object saves the engine from writing it into its memory again. */
  readonly #contexts = new WeakMap<Header, BlockContext>();

  constructor(deps: CallDeps) {
    this.#deps = deps;
  }

  /** Runs a call. @returns its output @throws CallError, RpcError */
  call(
    args: CallArguments,
    at: BlockRef,
    overrides: CallOverrides | undefined,
    context: CallContext,
  ): Uint8Array | Promise<Uint8Array> {
    try {
      const result = this.run(args, at, overrides, context);
      if (!(result instanceof Promise)) return outputOf(result, context);
      return result.then((ended) => outputOf(ended, context)).catch((error) => this.#fail(error));
    } catch (error) {
      return this.#fail(error);
    }
  }

  /** Runs a call. @returns its full result, failed or not @throws CallError, RpcError */
  run(
    args: CallArguments,
    at: BlockRef,
    overrides: CallOverrides | undefined,
    context: CallContext,
  ): CallResult | Promise<CallResult> {
    const applied = overrides?.state && toAccountOverrides(overrides.state);
    return this.query<CallWork>(() => {
      const { block, stateNumber } = this.#locate(at, applied, overrides?.block);
      const work = { kind: "call", request: this.#request(args, block) } as const;
      return { work, block, stateNumber, isLong: areMany(applied) };
    }, context);
  }

  /**
   * The lowest gas limit with which a transaction succeeds.
   * @param overrides - `ignoresFeeCap`: `maxFeePerGas` does not limit the gas to what the sender can pay, as in the chain namespace
   * @throws CallError, RpcError
   */
  estimateGas(
    args: CallArguments,
    at: BlockRef,
    overrides: (CallOverrides & { readonly ignoresFeeCap?: boolean }) | undefined,
    context: CallContext,
  ): bigint | Promise<bigint> {
    const ignoresFeeCap = overrides?.ignoresFeeCap === true;
    if (!ignoresFeeCap) checkPrices(args);
    const applied = overrides?.state && toAccountOverrides(overrides.state);
    const plan = (): Plan<EstimateWork> => {
      const { block, stateNumber } = this.#locate(at, applied, overrides?.block);
      const { gas, ...gasless } = args;
      const gasPrice = args.gasPrice ?? (ignoresFeeCap ? undefined : args.maxFeePerGas) ?? 0n;
      // Without a price, anvil and Hardhat Network require no balance, so that unfunded accounts can estimate.
      const credit = this.#deps.matchesAnvil && gasPrice === 0n ? "value" : "whole";
      const request = { ...this.#request(gasless, block), credit } as const;
      const { gasCap: cap } = this.#deps.limits;
      const work = { kind: "estimate", request, gas, cap, gasPrice } as const;
      return { work, block, stateNumber, isLong: areMany(applied) };
    };
    try {
      const gas = this.query(plan, context);
      return gas instanceof Promise ? gas.catch((error) => this.#fail(error)) : gas;
    } catch (error) {
      return this.#fail(error);
    }
  }

  /**
   * The access list of a call. @param excluded - addresses as hex that are warm without a list @throws CallError,
   * RpcError
   */
  accessList(
    args: CallArguments,
    at: BlockRef,
    excluded: ReadonlySet<string>,
    context: CallContext,
  ): FoundAccessList | Promise<FoundAccessList> {
    return this.query<AccessListWork>(() => {
      const { block: bare, stateNumber } = this.#locate(at);
      const block = { ...bare, computationLimit: computationLimitAt(bare.context.rules) };
      const request = { ...this.#request(args, block), credit: this.#deps.accessListCredit, paysFirst: true };
      return { block, stateNumber, work: { kind: "accessList", request, excluded } };
    }, context);
  }

  /** The job of tracing a call. @throws CallError, RpcError */
  plan(args: CallArguments, at: BlockRef, tracer: TracerChoice, timeoutMs: number): Plan<CallTraceWork> {
    const { block: bare, stateNumber } = this.#locate(at);
    const block = { ...bare, computationLimit: computationLimitAt(bare.context.rules) };
    const request = { ...this.#request(args, block), credit: "affordable" as const, paysFirst: true };
    const isLong = tracer.kind === "script";
    return { work: { kind: "traceCall", request, tracer, timeoutMs }, block, stateNumber, isLong };
  }

  /** The job of tracing calls, each on the state that the one before it leaves. @throws CallError, RpcError */
  planMany(
    calls: readonly { readonly args: CallArguments; readonly tracer: TracerChoice }[],
    at: BlockRef,
    timeoutMs: number,
  ): Plan<CallsTraceWork> {
    const { block: bare, stateNumber } = this.#locate(at);
    const block = { ...bare, computationLimit: computationLimitAt(bare.context.rules) };
    const requests = calls.map(({ args, tracer }) => ({
      request: { ...this.#request(args, block), credit: "affordable" as const, paysFirst: true },
      tracer,
    }));
    return { work: { kind: "traceCalls", calls: requests, timeoutMs }, block, stateNumber };
  }

  /**
   * Runs work with a single result.
   * @param timeMs - time limit, including what earlier calls of the batch have used
   * @throws CallError; RpcError with the reference's text on timeout
   */
  query<W extends Query>(
    plan: () => Plan<W>,
    context: CallContext,
    timeMs = this.#deps.limits.timeoutMs,
  ): ValueOfWork<W> | Promise<ValueOfWork<W>> {
    const { allowance } = context;
    if (timeMs <= 0 || (allowance !== undefined && allowance.spentMs >= timeMs)) throw this.#timedOut();
    try {
      const result = this.#deps.executor.query(plan, { timeMs, context });
      return result instanceof Promise ? result.catch((error) => this.#rethrow(error)) : result;
    } catch (error) {
      return this.#rethrow(error);
    }
  }

  #rethrow(error: unknown): never {
    throw error instanceof EvmTimeout ? this.#timedOut() : error;
  }

  #timedOut(): Error {
    return refused(`execution aborted (timeout = ${this.#deps.limits.timeoutMs / 1000}s)`);
  }

  /** Throws the error, worded as by anvil if the dialect says so. */
  #fail(error: unknown): never {
    throw this.#deps.matchesAnvil ? toAnvilError(error) : error;
  }

  /** @throws RpcError -32000 where there is no such block, or its state is not kept */
  checkBlock(at: BlockRef): void {
    this.#deps.reader.stateAt(at);
  }

  /** What calls run on after a block. */
  blockOf(located: LocatedState, overrides?: readonly AccountOverride[]): JobBlock {
    return {
      evm: this.#deps.evm,
      context: this.#contextOf(located),
      state: located.state,
      overrides,
    };
  }

  #locate(
    at: BlockRef,
    overrides?: readonly AccountOverride[],
    own?: CallOverrides["block"],
  ): { block: JobBlock; stateNumber: bigint } {
    const located = this.#deps.reader.stateAt(at);
    const block = this.blockOf(located, overrides);
    const context = own === undefined ? block.context : overriddenContext(block.context, own);
    return { block: { ...block, context }, stateNumber: located.header.number };
  }

  #contextOf({ header, author }: LocatedState): BlockContext {
    let context = this.#contexts.get(header);
    if (context === undefined) {
      const { chain } = this.#deps.reader;
      context = createBlockContext({
        header,
        author: author ?? chain.author(header),
        rules: chain.rulesAt(header.number),
        ancestorHash: (number) => chain.hash(number),
      });
      this.#contexts.set(header, context);
    }
    return context;
  }

  /** @throws RpcError, CallError with the reference's texts */
  #request(args: CallArguments, { context }: JobBlock): CallRequest {
    const { gasPrice, maxFeePerGas, maxPriorityFeePerGas, authorizationList, accessList, to } = args;
    checkPrices(args);
    if (
      maxFeePerGas !== undefined &&
      maxPriorityFeePerGas !== undefined &&
      maxFeePerGas < maxPriorityFeePerGas
    )
      throw refused("MaxPriorityFeePerGas is greater than MaxFeePerGas");
    if (authorizationList !== undefined && to === undefined)
      throw refused("SetCodeTx must have a non-nil recipient address");
    return {
      from: args.from ?? ZERO_ADDRESS,
      to,
      value: args.value ?? 0n,
      input: inputOf(args),
      gas: callGas(args.gas, this.#deps.limits.gasCap),
      gasPrice: gasPrice ?? maxFeePerGas ?? defaultCallPrice(context),
      accessList,
      isListFree: args.isListFree,
      authorizationList,
    };
  }
}

/** @throws RpcError -32000 for prices of both kinds */
function checkPrices({ gasPrice, maxFeePerGas, maxPriorityFeePerGas }: CallArguments): void {
  if (gasPrice !== undefined && (maxFeePerGas !== undefined || maxPriorityFeePerGas !== undefined))
    throw refused("both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified");
}

/** Whether overrides take longer to apply than a call may take on the main thread. */
function areMany(overrides: readonly AccountOverride[] | undefined): boolean {
  const count = (overrides ?? []).reduce(
    (sum, { state, stateDiff }) => sum + 1 + (state?.length ?? 0) + (stateDiff?.length ?? 0),
    0,
  );
  return count > SHORT_OVERRIDES;
}

/** @throws CallError when the call failed */
function outputOf(result: CallResult, { onConsole }: CallContext): Uint8Array {
  if (result.console !== undefined) onConsole?.(result.console);
  if (result.error !== undefined) throw failureOf(result);
  return result.output;
}
