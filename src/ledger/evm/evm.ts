import type { Rules } from "../../protocol/params/forks.ts";
import type { Address, Hash } from "../../protocol/primitives/bytes.ts";
import { NodeError } from "../../protocol/primitives/errors.ts";
import type { StateJournal } from "../state/journal/journal-types.ts";
import type { MovedPrecompiles } from "./precompiles/moved-precompiles.ts";

/** One message to run: a call, or a creation when `to` is absent (`input` is then the init code). */
export interface Message {
  readonly caller: Address;
  readonly to?: Address | undefined;
  /** kei; moved from caller to callee by the engine. */
  readonly value: bigint;
  readonly input: Uint8Array;
  readonly gas: bigint;
  /** Creation by CREATE2 of a test or tool; transactions always use CREATE. */
  readonly salt?: Hash;
  readonly isStatic?: boolean;
}

/** What is the same for every message of one transaction. */
export interface TransactionContext {
  readonly origin: Address;
  /** Effective price, kei per gas. */
  readonly gasPrice: bigint;
  /** Equals the sender when the fee is not delegated; the feePayer precompile answers it. */
  readonly feePayer: Address;
  readonly blobHashes: readonly Hash[];
}

/** What is the same for every transaction of one block. */
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
  /** Precompiles that stand elsewhere, in a simulated block. */
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
  /** Every VM error without a status code of its own: bad opcode, stack, jump, return data bounds, 0xEF code, nonce overflow. */
  | "vmError";

/** Bounds of one run besides its gas. */
export interface RunLimits {
  /** Sum of computation costs of the transaction; undefined = no limit. */
  readonly computation?: bigint | undefined;
  /** Epoch milliseconds at which the run is given up with `EvmTimeout`; undefined = never. */
  readonly deadline?: number | undefined;
  readonly budget?: RunBudget | undefined;
}

/** How much of the thread that it runs in a run may take, before it is given up with `BudgetSpent`. */
export interface RunBudget {
  /** Asked every 100,000 gas or so. */
  isSpent(): boolean;
  /** Most gas of one precompiled contract: nothing interrupts them. */
  readonly precompileGas: bigint;
}

/**
 * A run was given up because its budget is spent; the state is as before the run. It is no `NodeError`, so that nothing takes
 * it for a result: the work starts over in another thread.
 */
export class BudgetSpent extends Error {
  override name = "BudgetSpent";
}

/** A run that was given up because its deadline passed; the state is as before the run. */
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
  /** Inputs of the calls that wrote to the console, in order, also of frames that were reverted; absent where there were none. */
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
    /** Of a creation that failed at its end: the code that could not be stored. */
    output: Uint8Array;
    gasUsed: bigint;
    outcome: Outcome;
    error?: string;
    depth: number;
  }): void;
  /** Before the first opcode of the outermost frame: its value has moved. */
  start?(address: Address): void;
  /**
   * As `step`, of those opcodes alone that leave the interpreter: they read or write accounts, slots and logs, or open and end
   * frames. All others run at full speed.
   */
  touch?(touched: TouchInfo): void;
  /** Each opcode, before its gas is paid. */
  opcode?(op: number, name: string, depth: number): void;
  /** Each step, read out of the machine's memory. */
  readonly watcher?: StepWatcher;
  /** Before an opcode takes effect, its gas paid; with `error` when it could not be paid or is not allowed. */
  step?(step: StepInfo): void;
  /** An opcode failed after `step` had shown it: bad jump, write protection, return data bounds, REVERT. Its operands are off the stack. */
  fault?(step: StepInfo): void;
}

/** An opcode that leaves the interpreter. Valid during the call only. */
export interface TouchInfo {
  readonly op: number;
  /** Account whose code runs. */
  readonly address: Address;
  /** Word of the stack, 0 = top; undefined below its end. */
  word(depth: number): bigint | undefined;
  /** The machine's memory as 32-bit limbs; a word has eight, the least significant first. */
  readonly limbs: Uint32Array;
  /** Where a word of the stack lies in `limbs`, 0 = top; -1 below its end. */
  placeOf(depth: number): number;
  readonly memory: Uint8Array;
}

/** Watches steps where each costs little: one view for all of them, over the machine's memory as it is. */
export interface StepWatcher {
  /** Before an opcode: the stack and memory of the view are those that it finds. */
  before(view: StepView): void;
  /** Once it is paid, or could not be: stack and memory may have changed already, and `memorySize` has grown. */
  after(view: StepView, cost: PaidCost): void;
}

/** What a step cost. */
export interface PaidCost {
  readonly gas: number;
  readonly computation: number;
  /** Why it could not be paid or is not allowed; absent where it was paid. */
  readonly error?: string | undefined;
}

/** The step under way. Numbers beyond 2^53 are rounded. */
export interface StepView {
  readonly pc: number;
  readonly op: number;
  /** As the reference node writes it. */
  readonly opName: string;
  /** Left before the step. */
  readonly gas: number;
  readonly computation: number;
  /** 1 in the outermost frame. */
  readonly depth: number;
  readonly address: Address;
  /** Linear memory. */
  readonly bytes: Uint8Array;
  /** Where the lowest word of the stack lies, 32 bytes each, little-endian. */
  readonly stackAt: number;
  /** Words of the stack before the step. */
  readonly height: number;
  /** How many of them it takes off or exchanges. */
  readonly pops: number;
  readonly memoryAt: number;
  /** Bytes. */
  readonly memorySize: number;
}

/** One opcode as a tracer sees it, before it runs. */
export interface StepInfo {
  readonly pc: number;
  readonly op: number;
  /** As the reference node writes it. */
  readonly opName: string;
  /** Gas left before the step. */
  readonly gas: bigint;
  /** Static and dynamic gas of this step; a call's includes the gas given away. */
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
  /** With what this step gives or takes back. */
  readonly refund: bigint;
  readonly error?: string;
}

/** One engine. It never sees fees or transaction types. The state carries its own access lists, refunds and logs. */
export interface Evm {
  /**
   * Runs a message. Unless the outcome is success the state is as before, with two exceptions: a creation that got as
   * far as its address has increased the caller's nonce and warmed the address; and code that starts with 0xEF stays,
   * from kore until prague, although the creation fails. The caller of a call increases the nonce itself.
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
