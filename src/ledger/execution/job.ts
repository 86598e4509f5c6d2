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

/** A job: work and its block, as data that can be sent to another thread. */
export interface ExecutionJob<W extends Work = Work> {
  readonly block: PlainBlock;
  readonly overrides?: readonly AccountOverride[] | undefined;
  readonly work: W;
  /** The same for jobs on the same state, whose parts need to be read once; absent where it is not known to be the same. */
  readonly stateKey?: string | undefined;
}

/** The block context. */
export interface PlainBlock {
  readonly context: Omit<BlockContext, "blockHash">;
  readonly feeRecipient: Address | undefined;
  readonly computationLimit: bigint | undefined;
}

/** All work that is executed on request, or as part of a block. */
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

/** The least gas with which a call succeeds. */
export interface EstimateWork {
  readonly kind: "estimate";
  /** Its gas does not count. */
  readonly request: CallRequest;
  /** Gas that the caller asked for. */
  readonly gas: bigint | undefined;
  /** The node's own limit; 0 = none. */
  readonly cap: bigint;
  /** Price that the caller named; 0 = none. */
  readonly gasPrice: bigint;
}

/** The access list of a call. */
export interface AccessListWork {
  readonly kind: "accessList";
  readonly request: CallRequest;
  /** Addresses as hex that are warm without a list. */
  readonly excluded: ReadonlySet<string>;
}

/** A simulated block of calls, on the state that the blocks before it have left. */
export interface SimulationWork {
  readonly kind: "simulate";
  readonly block: SimulatedBlock;
  /** Hashes of the simulated blocks before it by their numbers, and of the block before the first. */
  readonly hashes: ReadonlyMap<bigint, Hash>;
  readonly parentHash: Hash;
  /** Header fields not determined by the simulation. */
  readonly template: Header;
  readonly deriveShaImpl: number;
  readonly left: SimulationRoom;
  /** Whether nonces are checked as those of transactions. */
  readonly validation: boolean;
  /** Whether transfers of the native token are shown as logs. */
  readonly traceTransfers: boolean;
}

/** What all blocks of a simulation may still use together. */
export interface SimulationRoom {
  readonly gas: bigint;
  /** Of what calls give back and log. */
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
  /** Most gas of its calls together; absent = no limit. */
  readonly gasLimit: bigint | undefined;
  readonly overrides: readonly AccountOverride[] | undefined;
  /** Precompiles that stand elsewhere in this block, or nowhere; absent = all where the protocol has them. */
  readonly moves: readonly PrecompileMove[] | undefined;
  readonly calls: readonly SimulatedCall[];
}

/** A call of a simulation; absent members are filled as the block comes to it. */
export interface SimulatedCall extends Pick<CallRequest, "from" | "to" | "value" | "input" | "gasPrice"> {
  /** Code of the transaction type that it stands for. */
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
  readonly gasAtMost: bigint;
  readonly logs: readonly Log[];
}

/** A block of a simulation after it. */
export interface SimulatedResult {
  /** Complete but for its state root. */
  readonly header: Header;
  readonly sent: readonly SentCall[];
  readonly calls: readonly SimulatedOutcome[];
  /** What it changed of the state before it. */
  readonly changes: StateChanges;
  readonly left: SimulationRoom;
}

/** The trace of a call. */
export interface CallTraceWork extends Traced {
  readonly kind: "traceCall";
  readonly request: CallRequest;
}

/** The traces of calls, each on the state left by the previous one. */
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

/** The next transaction of a block, on the state left by the previous ones. */
export interface TransactionWork {
  readonly kind: "transaction";
  readonly transaction: PlainTransaction;
}

/** A transaction that was executed in another thread, with all its changes. */
export interface AppliedElsewhere {
  readonly applied: AppliedTransaction;
  readonly changes: StateChanges;
}

/** The tracer, and its time limits. */
export interface Traced {
  readonly tracer: TracerChoice;
  /** For each transaction; counted from its first step. */
  readonly timeoutMs: number;
}

/** One of the node's own tracers, or one that the caller has written in JavaScript. */
export type TracerChoice =
  | { readonly kind: "structLog"; readonly options: StructLogOptions }
  | { readonly kind: "named"; readonly name: string }
  | { readonly kind: "replay"; readonly parts: ReplayParts }
  | { readonly kind: "script"; readonly code: string };

/** A transaction in the form for threads. */
export interface PlainTransaction {
  readonly raw: Uint8Array;
  /** Present if already known. */
  readonly signers: Signers | undefined;
}

/** What a call touches, and how it ended. */
export interface FoundAccessList {
  readonly list: readonly AccessListEntry[];
  readonly error: string | undefined;
  readonly gasUsed: bigint;
}

/** Results of work; JSON text of each trace. */
export type ValueOfWork<W extends Work> = W extends CallWork
  ? CallResult
  : W extends EstimateWork
    ? bigint
    : W extends AccessListWork
      ? FoundAccessList
      : W extends TransactionWork
        ? AppliedElsewhere
        : W extends SimulationWork
          ? SimulatedResult
          : TraceText;

/** A result or an error: one for each traced transaction, and a single one for other work. */
export type JobOutcome<W extends Work = Work> =
  | { readonly value: ValueOfWork<W> }
  | { readonly error: unknown };

/** The state that a job reads. */
export interface JobSources {
  /** Before the first transaction. */
  readonly state: StateReader;
  blockHash(number: bigint): Hash;
}

/** A block without its functions and its state. */
export function plainBlock(
  environment: Pick<BlockEnvironment, "context" | "feeRecipient" | "computationLimit">,
): PlainBlock {
  const { context, feeRecipient, computationLimit } = environment;
  const { blockHash: _, ...plain } = context;
  return { context: plain, feeRecipient, computationLimit };
}

/** A transaction as bytes, which another thread can take; without its sidecar. */
export function plainTransaction(tx: Transaction, chainId: bigint): PlainTransaction {
  return { raw: encodeTransaction(withoutSidecar(tx)).slice(), signers: knownSigners(tx, chainId) };
}
