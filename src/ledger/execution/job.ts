import type { Header } from "../../protocol/block/header.ts";
import type { Log } from "../../protocol/block/receipt.ts";
import type { Address, Hash } from "../../protocol/primitives/bytes.ts";
import { encodeTransaction, withoutSidecar } from "../../protocol/transaction/encoding.ts";
import { knownSigners, type Signers } from "../../protocol/transaction/signatures/signers.ts";
import type { AccessListEntry, Authorization, Transaction } from "../../protocol/transaction/transaction.ts";
import type { BlockContext } from "../evm/evm.ts";
import type { PrecompileMove } from "../evm/precompiles/moved-precompiles.ts";
import type { ReplayParts } from "../evm/tracers/replay/replay-tracer.ts";
import type { StructLogOptions } from "../evm/tracers/struct-logger.ts";
import type { TraceText } from "../evm/tracers/tracer.ts";
import type { StateChanges, StateReader } from "../state/state.ts";
import type { CallRequest, CallResult } from "./calls/call.ts";
import type { AccountOverride } from "./calls/overrides.ts";
import type { BlockEnvironment } from "./environment.ts";
import type { AppliedTransaction } from "./transaction/transaction.ts";

/** A job: work and its block, as plain data that can be sent to another thread. */
export interface ExecutionJob<W extends Work = Work> {
  readonly block: PlainBlock;
  readonly overrides?: readonly AccountOverride[] | undefined;
  readonly work: W;
  /** Equal for jobs on the same state, so that reads of it can be cached; absent if no other job is known to share it. */
  readonly stateKey?: string | undefined;
}

/** A block environment without functions and state. */
export interface PlainBlock {
  readonly context: Omit<BlockContext, "blockHash">;
  readonly feeRecipient: Address | undefined;
  readonly computationLimit: bigint | undefined;
}

/** All kinds of work. */
export type Work =
  | CallWork
  | EstimateWork
  | AccessListWork
  | CallTraceWork
  | CallsTraceWork
  | BlockTraceWork
  | SimulationWork
  | TransactionWork;

/** A message call as a job. */
export interface CallWork {
  readonly kind: "call";
  readonly request: CallRequest;
}

/** Estimates the lowest gas limit with which a call succeeds. */
export interface EstimateWork {
  readonly kind: "estimate";
  /** Its gas limit is ignored. */
  readonly request: CallRequest;
  /** Gas limit requested by the caller. */
  readonly gas: bigint | undefined;
  /** The node's own limit; 0 = none. */
  readonly cap: bigint;
  /** Gas price given by the caller; 0 = none. */
  readonly gasPrice: bigint;
}

/** Computes the access list of a call. */
export interface AccessListWork {
  readonly kind: "accessList";
  readonly request: CallRequest;
  /** Hex addresses that are warm without being listed. */
  readonly excluded: ReadonlySet<string>;
}

/** A simulated block of calls, on the state after the simulated blocks before it. */
export interface SimulationWork {
  readonly kind: "simulate";
  readonly block: SimulatedBlock;
  /** Hashes of the simulated blocks before it, and of the block before the first, by number. */
  readonly hashes: ReadonlyMap<bigint, Hash>;
  readonly parentHash: Hash;
  /** Header fields not determined by the simulation. */
  readonly template: Header;
  readonly deriveShaImpl: number;
  readonly left: SimulationBudget;
  /** Whether nonces and fee caps are checked as for transactions. */
  readonly validation: boolean;
  /** Whether transfers of the native token are shown as logs. */
  readonly traceTransfers: boolean;
}

/** What remains for all further blocks of a simulation together. */
export interface SimulationBudget {
  readonly gas: bigint;
  /** Of output and logs. */
  readonly bytes: number;
}

/** A block of a simulation. */
export interface SimulatedBlock {
  readonly number: bigint;
  readonly time: bigint;
  readonly coinbase: Address;
  readonly prevRandao: bigint;
  readonly baseFee: bigint;
  readonly blobBaseFee: bigint;
  /** Maximum gas of all its calls together; absent = no limit. */
  readonly gasLimit: bigint | undefined;
  readonly overrides: readonly AccountOverride[] | undefined;
  /** Precompiles moved or removed in this block; absent = none. */
  readonly moves: readonly PrecompileMove[] | undefined;
  readonly calls: readonly SimulatedCall[];
}

/** A call of a simulation; absent members are filled in when it is executed. */
export interface SimulatedCall extends Pick<CallRequest, "from" | "to" | "value" | "input" | "gasPrice"> {
  /** Code of the equivalent transaction type. */
  readonly typeCode: number;
  readonly gas: bigint | undefined;
  readonly nonce: bigint | undefined;
  readonly maxPriorityFeePerGas: bigint | undefined;
  readonly accessList: readonly AccessListEntry[] | undefined;
  readonly authorizationList: readonly Authorization[] | undefined;
}

/** A call as executed in its block. */
export interface SentCall extends SimulatedCall {
  readonly gas: bigint;
  readonly nonce: bigint;
}

/** The result of a simulated call. */
export interface SimulatedOutcome extends Pick<CallResult, "status" | "error" | "output" | "gasUsed"> {
  /** Before refunds. */
  readonly maxGasUsed: bigint;
  readonly logs: readonly Log[];
}

/** The result of a simulated block. */
export interface SimulatedResult {
  /** Complete except for the state root. */
  readonly header: Header;
  readonly sent: readonly SentCall[];
  readonly calls: readonly SimulatedOutcome[];
  /** Changes to the state before it. */
  readonly changes: StateChanges;
  readonly left: SimulationBudget;
}

/** The trace of a call. */
export interface CallTraceWork extends Traced {
  readonly kind: "traceCall";
  readonly request: CallRequest;
}

/** The traces of calls, each on the state after the previous one. */
export interface CallsTraceWork extends Pick<Traced, "timeoutMs"> {
  readonly kind: "traceCalls";
  readonly calls: readonly (Pick<CallTraceWork, "request"> & Pick<Traced, "tracer">)[];
}

/** The traces of all transactions of a block, or of the one at an index. */
export interface BlockTraceWork extends Traced {
  readonly kind: "traceBlock";
  readonly parentHash: Hash;
  readonly transactions: readonly PlainTransaction[];
  readonly index: number | undefined;
}

/** The next transaction of a block, on the state after the previous ones. */
export interface TransactionWork {
  readonly kind: "transaction";
  readonly transaction: PlainTransaction;
}

/** The result of a transaction executed in another thread, with all its changes. */
export interface AppliedInThread {
  readonly applied: AppliedTransaction;
  readonly changes: StateChanges;
}

/** A tracer with its time limit. */
export interface Traced {
  readonly tracer: TracerChoice;
  /** For each transaction; counted from its first step. */
  readonly timeoutMs: number;
}

/** One of the built-in tracers, or one written by the caller in JavaScript. */
export type TracerChoice =
  | { readonly kind: "structLog"; readonly options: StructLogOptions }
  | { readonly kind: "named"; readonly name: string }
  | { readonly kind: "replay"; readonly parts: ReplayParts }
  | { readonly kind: "script"; readonly code: string };

/** A transaction as plain data, for another thread. */
export interface PlainTransaction {
  readonly raw: Uint8Array;
  /** Present if already known. */
  readonly signers: Signers | undefined;
}

/** The access list of a call, and how the call ended. */
export interface FoundAccessList {
  readonly list: readonly AccessListEntry[];
  readonly error: string | undefined;
  readonly gasUsed: bigint;
}

/** The result type of each kind of work; for traces, their JSON text. */
export type ValueOfWork<W extends Work> = W extends CallWork
  ? CallResult
  : W extends EstimateWork
    ? bigint
    : W extends AccessListWork
      ? FoundAccessList
      : W extends TransactionWork
        ? AppliedInThread
        : W extends SimulationWork
          ? SimulatedResult
          : TraceText;

/** A result or an error; one per traced transaction, a single one for other work. */
export type JobOutcome<W extends Work = Work> =
  | { readonly value: ValueOfWork<W> }
  | { readonly error: unknown };

/** The state that a job reads. */
export interface JobSources {
  /** Before the first transaction. */
  readonly state: StateReader;
  blockHash(number: bigint): Hash;
}

/** A block environment as plain data. */
export function plainBlock(
  environment: Pick<BlockEnvironment, "context" | "feeRecipient" | "computationLimit">,
): PlainBlock {
  const { context, feeRecipient, computationLimit } = environment;
  const { blockHash: _, ...plain } = context;
  return { context: plain, feeRecipient, computationLimit };
}

/** A transaction as plain data, without its sidecar. */
export function plainTransaction(tx: Transaction, chainId: bigint): PlainTransaction {
  return { raw: encodeTransaction(withoutSidecar(tx)).slice(), signers: knownSigners(tx, chainId) };
}
