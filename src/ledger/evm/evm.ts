import type { Rules } from "../../protocol/params/forks.ts";
import type { Address, Hash } from "../../protocol/primitives/bytes.ts";
import { NodeError } from "../../protocol/primitives/errors.ts";
import type { StateJournal } from "../state/journal/journal-types.ts";
import type { MovedPrecompiles } from "./precompiles/moved-precompiles.ts";
import type { MemoryOperands } from "./tables/opcodes.ts";

/** One message to run: a call, or a creation when `to` is absent (`input` is then the init code). */
export interface Message {
  readonly caller: Address;
  readonly to?: Address | undefined;
  /** kei; moved from caller to callee by the engine. */
  readonly value: bigint;
  readonly input: Uint8Array;
  readonly gas: bigint;
  /** Salt of CREATE2, for tests and tools; transactions always use CREATE. */
  readonly salt?: Hash;
  readonly isStatic?: boolean;
}

/** Context shared by all messages of a transaction. */
export interface TransactionContext {
  readonly origin: Address;
  /** Effective price, kei per gas. */
  readonly gasPrice: bigint;
  /** The sender unless the fee is delegated; returned by the feePayer precompile. */
  readonly feePayer: Address;
  readonly blobHashes: readonly Hash[];
}

/** Context shared by all transactions of a block. */
export interface BlockContext {
  readonly rules: Rules;
  readonly number: bigint;
  readonly time: bigint;
  /** Proposer's address (COINBASE). */
  readonly coinbase: Address;
  /** DIFFICULTY / PREVRANDAO word: block score, parent hash or mixHash by fork. */
  readonly prevRandao: bigint;
  /** 0 before magma. */
  readonly baseFee: bigint;
  readonly blobBaseFee: bigint;
  /** GASLIMIT; 0 on Kaia. */
  readonly gasLimit: bigint;
  /** Precompiles moved to other addresses, in a simulated block. */
  readonly moved?: MovedPrecompiles | undefined;
  /** Hash of block `number`, for the last 256; zero hash otherwise. */
  blockHash(number: bigint): Hash;
}

/** How a run ended; the receipt status code (0x02…) derives from it, see `execution/transaction/status.ts`. */
export type Outcome =
  | "success"
  | "revert"
  | "outOfGas"
  | "computationLimit"
  | "writeProtection"
  | "callDepth"
  | "addressCollision"
  | "codeStoreOutOfGas"
  | "maxCodeSize"
  | "insufficientBalance"
  | "reservedAddress"
  /** Every other VM error: invalid opcode, stack, jump, return data bounds, 0xEF code, nonce overflow. */
  | "vmError";

/** Limits of a run besides its gas. */
export interface RunLimits {
  /** Sum of computation costs of the transaction; undefined = no limit. */
  readonly computation?: bigint | undefined;
  /** Epoch milliseconds at which the run is aborted with `EvmTimeout`; undefined = never. */
  readonly deadline?: number | undefined;
  readonly budget?: RunBudget | undefined;
}

/** How long a run may occupy its thread before it is aborted with `BudgetSpent`. */
export interface RunBudget {
  /** Polled about every 100,000 gas. */
  isSpent(): boolean;
  /** Maximum gas of one precompiled contract, since these cannot be interrupted. */
  readonly precompileGas: bigint;
}

/**
 * A run was aborted because its budget is spent; the state is as before the run. Not a `NodeError`, so that it is never
 * mistaken for a result: the work starts over in another thread.
 */
export class BudgetSpent extends Error {
  override name = "BudgetSpent";
}

/** A run was aborted because its deadline passed; the state is as before the run. */
export class EvmTimeout extends NodeError<"EVM_TIMEOUT"> {
  override name = "EvmTimeout";
}

/** The outcome of a message call or creation. */
export interface RunResult {
  readonly outcome: Outcome;
  /** Reference's text for an outcome other than success, e.g. `evm: execution reverted`, `out of gas`, `stack underflow (1 <=> 2)`. */
  readonly error?: string | undefined;
  readonly gasLeft: bigint;
  readonly output: Uint8Array;
  readonly createdAddress?: Address | undefined;
  /** Computation cost used by the whole run. */
  readonly computation: bigint;
  /** Inputs of the calls to the console, in order, even those of reverted frames; absent if there were none. */
  readonly console?: readonly Uint8Array[] | undefined;
}

/** Hooks of a tracer; each may be absent. Byte arrays are views, valid during the call only. */
export interface Tracer {
  enter?(call: {
    kind: "CALL" | "CALLCODE" | "DELEGATECALL" | "STATICCALL" | "CREATE" | "CREATE2" | "SELFDESTRUCT";
    from: Address;
    to: Address;
    value: bigint;
    input: Uint8Array;
    gas: bigint;
    depth: number;
  }): void;
  exit?(result: {
    /** For a creation that failed to store its code: that code. */
    output: Uint8Array;
    gasUsed: bigint;
    outcome: Outcome;
    error?: string;
    depth: number;
  }): void;
  /** Before the first opcode of the outermost frame, after its value was transferred. */
  start?(address: Address): void;
  /**
   * As `step`, but only for opcodes that leave the interpreter: those that access accounts, slots and logs, or begin and end
   * frames. All others run at full speed.
   */
  hostOpcode?(view: HostOpcodeView): void;
  /** Each opcode, before its gas is charged. */
  opcode?(op: number, name: string, depth: number): void;
  /** Each step, as a view of the machine's memory. */
  readonly watcher?: StepWatcher;
  /** After the gas of an opcode was charged, before it takes effect; with `error` if it runs out of gas or is not allowed. */
  step?(step: StepInfo): void;
  /** An opcode failed after `step` was called for it: bad jump, write protection, return data bounds, REVERT. Its operands are popped. */
  fault?(step: StepInfo): void;
}

/** An opcode that leaves the interpreter. Valid during the call only. */
export interface HostOpcodeView {
  readonly op: number;
  /** Account whose code runs. */
  readonly address: Address;
  /** Word of the stack, 0 = top; undefined below the bottom. */
  word(depth: number): bigint | undefined;
  /** The machine's memory as 32-bit limbs; a word has eight, the least significant first. */
  readonly limbs: Uint32Array;
  /** Index of a stack word in `limbs`, 0 = top; -1 below the bottom. */
  wordIndex(depth: number): number;
  readonly memory: Uint8Array;
}

/** Low-overhead step tracer: one view for all steps, directly on the machine's memory. */
export interface StepWatcher {
  /** Before an opcode: stack and memory are as before it. */
  before(view: StepView): void;
  /** Once its gas was charged, or could not be: stack and memory may have changed already, and `memorySize` may have grown. */
  after(view: StepView, cost: PaidCost): void;
}

/** Cost of a step. */
export interface PaidCost {
  /** Rounded beyond 2^53. */
  readonly gas: number;
  /** The same exactly, of a step that ran out of gas. */
  readonly exactGas?: bigint | undefined;
  readonly computation: number;
  /** Why it ran out of gas or is not allowed; absent if it was charged. */
  readonly error?: string | undefined;
}

/** The current step. Numbers beyond 2^53 are rounded. */
export interface StepView {
  readonly pc: number;
  readonly op: number;
  /** As in the reference node. */
  readonly opName: string;
  /** Left before the step. */
  readonly gas: number;
  readonly computation: number;
  /** 1 in the outermost frame. */
  readonly depth: number;
  readonly address: Address;
  /** Linear memory. */
  readonly bytes: Uint8Array;
  /** Address of the bottom of the stack; words are 32 bytes, little-endian. */
  readonly stackAt: number;
  /** Stack height before the step, words. */
  readonly height: number;
  /** Number of words that it pops or swaps. */
  readonly pops: number;
  /** Where it writes memory or loads a word; undefined if it does neither. */
  readonly memoryOperands: MemoryOperands | undefined;
  readonly memoryAt: number;
  /** Bytes. */
  readonly memorySize: number;
}

/** One opcode as a tracer sees it, before it runs. */
export interface StepInfo {
  readonly pc: number;
  readonly op: number;
  /** As in the reference node. */
  readonly opName: string;
  /** Gas left before the step. */
  readonly gas: bigint;
  /** Static and dynamic gas of this step; that of a call includes the gas passed to the callee. */
  readonly gasCost: bigint;
  /** Computation cost left before the step; counts down from 2^63 - 1 without a limit. */
  readonly computation: bigint;
  readonly computationCost: bigint;
  /** 1 in the outermost frame. */
  readonly depth: number;
  readonly address: Address;
  readonly stack: readonly bigint[];
  readonly memory: Uint8Array;
  readonly returnData: Uint8Array;
  /** Refund counter, including the change by this step. */
  readonly refund: bigint;
  readonly error?: string;
}

/** An EVM. It knows nothing of fees and transaction types. Access list, refund counter and logs are part of the state journal. */
export interface Evm {
  /**
   * Runs a message. Unless the outcome is success the state is as before, with two exceptions: a creation that got as
   * far as computing its address has incremented the caller's nonce and warmed the address; and code that starts with 0xEF
   * is kept from kore until prague, although the creation fails. For a call, the nonce is up to the caller of `run`.
   * @throws EvmTimeout when the deadline passes, BudgetSpent; the state is then as before
   */
  run(
    message: Message,
    block: BlockContext,
    transaction: TransactionContext,
    state: StateJournal,
    limits: RunLimits,
    tracer?: Tracer,
  ): RunResult;
}
