import type { BlockContext, Evm, Tracer } from "../../../ledger/evm/evm.ts";
import { EvmTimeout } from "../../../ledger/evm/evm.ts";
import type { TracerFactory } from "../../../ledger/evm/tracers/tracer.ts";
import {
  type CallRequest,
  type CallResult,
  call,
  callGas,
  defaultCallPrice,
} from "../../../ledger/execution/call.ts";
import {
  type BlockEnvironment,
  computationLimitAt,
  createBlockContext,
} from "../../../ledger/execution/environment.ts";
import { estimateGas } from "../../../ledger/execution/estimate.ts";
import { type AccountOverride, applyOverrides } from "../../../ledger/execution/overrides.ts";
import { failureOf } from "../../../ledger/execution/revert.ts";
import { tracedCall } from "../../../ledger/execution/traced-transaction.ts";
import { createJournal } from "../../../ledger/state/journal.ts";
import type { StateReader } from "../../../ledger/state/state.ts";
import type { Header } from "../../../protocol/block/header.ts";
import type { Json } from "../../../protocol/codec/json/value.ts";
import { ZERO_ADDRESS } from "../../../protocol/primitives/bytes.ts";
import { hexToBytes } from "../../../protocol/primitives/hex.ts";
import { refused } from "../errors.ts";
import type { BlockRef } from "../spec/block-ref.ts";
import type { StateOverrides } from "../spec/calls.ts";
import type { EthTransactionArgs } from "../spec/transaction-args.ts";
import type { ChainReader, LocatedState } from "./chain-reader.ts";
import { inputOf } from "./transaction-builder.ts";

/** How far a call may go. */
export interface CallLimits {
  /** Most gas; 0 = only the protocol's limit. */
  readonly gasCap: bigint;
  /** Most time. */
  readonly timeoutMs: number;
}

/** What running calls needs. */
export interface CallDeps {
  readonly reader: ChainReader;
  readonly evm: Evm;
  readonly limits: CallLimits;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** The members of a call that the namespaces share. */
export type CallArguments = Omit<EthTransactionArgs, "nonce" | "chainId"> & Pick<CallRequest, "isListFree">;

/** A call as a tracer sees it: what runs, on the state after which block. */
export interface CallPlan {
  readonly request: CallRequest;
  readonly environment: BlockEnvironment;
  readonly header: Header;
  /** Of the environment, without what the call will change. */
  readonly state: StateReader;
}

/** Runs calls on the state after a block, each on a journal of its own that is thrown away. */
export class CallRunner {
  readonly #deps: CallDeps;
  /** What calls see of a block; an engine that is handed the same one again need not write it into its memory. */
  readonly #contexts = new WeakMap<Header, BlockContext>();

  constructor(deps: CallDeps) {
    this.#deps = deps;
  }

  /** Runs a call. @returns its output @throws CallError, RpcError */
  call(args: CallArguments, at: BlockRef, overrides?: StateOverrides): Uint8Array {
    const result = this.run(args, at, overrides);
    if (result.error !== undefined) throw failureOf(result);
    return result.output;
  }

  /** Runs a call. @returns all about it, failed or not @throws CallError, RpcError */
  run(args: CallArguments, at: BlockRef, overrides?: StateOverrides, tracer?: Tracer): CallResult {
    const located = this.#deps.reader.stateAt(at);
    return this.#runOn(this.#environment(located, overrides), args, tracer);
  }

  /** Runs a call under a tracer made for it. @returns what the tracer shows @throws CallError, RpcError, EvmTimeout */
  trace(args: CallArguments, at: BlockRef, factory: TracerFactory): Json {
    const { limits, now } = this.#deps;
    const { request, environment } = this.plan(args, at);
    const { context, state } = environment;
    const tracer = factory(tracedCall(request, context, state), state);
    const options = { deadline: now() + limits.timeoutMs, tracer: tracer.hooks };
    const { gasUsed, output, cause } = call(request, environment, options);
    return tracer.result({ gasUsed, output, error: cause });
  }

  /** What tracing a call means. @throws CallError, RpcError */
  plan(args: CallArguments, at: BlockRef): CallPlan {
    const { limits, reader } = this.#deps;
    const located = reader.stateAt(at);
    const bare = this.#environment(located);
    const environment = { ...bare, computationLimit: computationLimitAt(bare.context.rules) };
    const request = { ...toRequest(args, environment, limits.gasCap), isGivenBaseFee: true };
    return { request, environment, header: located.header, state: located.state };
  }

  /** Least gas with which a transaction succeeds. @throws CallError, RpcError */
  estimateGas(args: CallArguments, at: BlockRef, overrides?: StateOverrides): bigint {
    const located = this.#deps.reader.stateAt(at);
    const first = this.#environment(located, overrides);
    return estimateGas({
      gas: args.gas,
      cap: this.#deps.limits.gasCap,
      value: args.value ?? 0n,
      gasPrice: args.gasPrice ?? args.maxFeePerGas ?? 0n,
      balance: first.state.balance(args.from ?? ZERO_ADDRESS),
      run: (gas) => this.#runOn(this.#environment(located, overrides), { ...args, gas }),
    });
  }

  #environment(located: LocatedState, overrides?: StateOverrides): BlockEnvironment {
    const journal = createJournal(located.state);
    if (overrides !== undefined) applyOverrides(toAccountOverrides(overrides), journal);
    return { evm: this.#deps.evm, state: journal, context: this.#contextOf(located) };
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

  #runOn(environment: BlockEnvironment, args: CallArguments, tracer?: Tracer): CallResult {
    const { limits, now } = this.#deps;
    const request = toRequest(args, environment, limits.gasCap);
    try {
      return call(request, environment, { deadline: now() + limits.timeoutMs, tracer });
    } catch (error) {
      if (error instanceof EvmTimeout)
        throw refused(`execution aborted (timeout = ${limits.timeoutMs / 1000}s)`);
      throw error;
    }
  }
}

/** @throws RpcError, CallError with the reference's texts */
function toRequest(args: CallArguments, { context }: BlockEnvironment, gasCap: bigint): CallRequest {
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas, authorizationList, accessList, to } = args;
  if (gasPrice !== undefined && (maxFeePerGas !== undefined || maxPriorityFeePerGas !== undefined))
    throw refused("both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified");
  if (maxFeePerGas !== undefined && maxPriorityFeePerGas !== undefined && maxFeePerGas < maxPriorityFeePerGas)
    throw refused("MaxPriorityFeePerGas is greater than MaxFeePerGas");
  if (authorizationList !== undefined && to === undefined)
    throw refused("SetCodeTx must have a non-nil recipient address");
  return {
    from: args.from ?? ZERO_ADDRESS,
    to,
    value: args.value ?? 0n,
    input: inputOf(args),
    gas: callGas(args.gas, gasCap),
    gasPrice: gasPrice ?? maxFeePerGas ?? defaultCallPrice(context),
    accessList,
    isListFree: args.isListFree,
    authorizationList,
  };
}

function toAccountOverrides(overrides: StateOverrides): AccountOverride[] {
  const slots = (map: ReadonlyMap<string, Uint8Array> | undefined) =>
    map && [...map].map(([slot, value]) => ({ slot: hexToBytes(slot), value }));
  return [...overrides].map(([address, { nonce, code, balance, state, stateDiff }]) => ({
    ...{ nonce, code, balance },
    address: hexToBytes(address),
    state: slots(state),
    stateDiff: slots(stateDiff),
  }));
}
