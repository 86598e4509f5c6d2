import type { AccountEntry } from "../../state/journal/journal-accounts.ts";
import type { JournalCore } from "../../state/journal/journal-core.ts";
import type { StateJournal } from "../../state/journal/journal-types.ts";
import {
  type BlockContext,
  BudgetSpent,
  EvmTimeout,
  type RunLimits,
  type Tracer,
  type TransactionContext,
} from "../evm.ts";
import type { FrameFailure } from "../failures.ts";
import type { PrecompileTable, WordPowerPrice } from "../precompile.ts";
import { opcodeName } from "../tables/opcodes.ts";
import { MAX_DEPTH, type RuleSet } from "../tables/rule-set.ts";
import {
  COMPUTATION_LEFT,
  FRAME_CALL_GAS,
  FRAME_CODE,
  FRAME_CODE_SIZE,
  FRAME_COST,
  FRAME_GAS,
  FRAME_SIZE,
  FRAMES,
} from "./layout.ts";
import type { Machine } from "./machine.ts";
import type { PlacedCode } from "./placed-code.ts";
import { HostOpcode } from "./tracing/host-opcode.ts";
import { MachineStep } from "./tracing/machine-step.ts";

/** Opcode that created a frame. */
export type FrameKind = "CALL" | "CALLCODE" | "DELEGATECALL" | "STATICCALL" | "CREATE" | "CREATE2";

/** State of a frame besides its record in linear memory. */
export interface Frame {
  kind: FrameKind;
  /** Account whose storage, balance and address the code uses; the new contract in a creation. */
  account: AccountEntry;
  /** Whether a checkpoint of the journal was opened for the frame. */
  checkpointed: boolean;
  /** Running code. */
  code: PlacedCode | undefined;
  /** Output of the last call when it is too long for its region in linear memory. */
  longReturnData: Uint8Array | undefined;
  /** Gas at the start; only for tracers. */
  startGas: bigint;
}

/** The cost of a step, as shown by tracers. */
export interface StepCost {
  readonly gas: bigint;
  readonly computation: bigint;
}

/** State of the machine before the current opcode, kept until its gas is known. */
export interface PendingStep {
  readonly pc: number;
  readonly op: number;
  readonly gas: bigint;
  readonly computation: bigint;
  readonly stack: readonly bigint[];
  /** Memory before an opcode that changes it inside the interpreter; else undefined, and the memory after it is shown. */
  readonly memory: Uint8Array | undefined;
  /** Whether the tracer has seen the step. */
  shown: boolean;
}

const GAS = FRAME_GAS >>> 2;
const COST = FRAME_COST >>> 2;

/** Environment of a run. */
export interface RunEnvironment {
  readonly rules: RuleSet;
  readonly state: StateJournal;
  readonly block: BlockContext;
  readonly transaction: TransactionContext;
  readonly precompiles: PrecompileTable;
  /** Epoch milliseconds, for `RunLimits.deadline`. */
  readonly now: () => number;
  readonly limits: RunLimits;
  readonly tracer: Tracer | undefined;
}

/** State that a run keeps in linear memory instead of the journal, see `RunCache`. */
export interface WriteBackCache {
  /**
   * Runs the current frame and those that it calls until the host is needed; the frame that needs it is then the current
   * one. @returns its exit
   */
  drive(quantum: number): number;
  /**
   * Allows an account to be called without the host, until the current frame is reverted.
   * @param account - warm, and not delegating
   * @param addressAt - memory address of a word with the account's address
   */
  addCallee(account: AccountEntry, code: PlacedCode, addressAt: number): void;
  /** Allows code of an account to call MODEXP with words without the host, at this price, until another account is allowed to. */
  admitModexp(caller: AccountEntry, price: WordPowerPrice): void;
  /** Loads the slot of the current frame with the key in the word at `key`. @returns false if there is no room */
  load(key: number): boolean;
  /** Adds a log of the current frame for which there was no room in linear memory. @param top - end of its topics */
  addLog(topics: number, top: number, data: number, size: number): void;
}

/** One run of a message: the state used by opcodes that leave the interpreter. */
export class Execution {
  readonly machine: Machine;
  readonly rules: RuleSet;
  readonly loaded: ReturnType<Machine["load"]>;
  readonly state: StateJournal;
  readonly core: JournalCore;
  readonly block: BlockContext;
  readonly transaction: TransactionContext;
  readonly precompiles: PrecompileTable;
  readonly tracer: Tracer | undefined;
  readonly #now: () => number;
  readonly #limits: RunLimits;
  /** Absent if all state is in the journal. */
  cache: WriteBackCache | undefined;
  readonly frames: Frame[] = [];
  /** Index of the current frame; -1 before the outermost one is opened. */
  depth = -1;
  /** Result of the outermost frame; undefined while it runs. */
  result: { readonly failure: FrameFailure | undefined; readonly output: Uint8Array } | undefined;
  /** Whether the tracer observes each step, so that the interpreter runs one opcode at a time. */
  readonly isStepped: boolean;
  #view: MachineStep | undefined;
  #hostOpcode: HostOpcode | undefined;
  /** Whether the tracer has seen the opcode for which the interpreter has left. */
  isHostOpcodeShown = false;
  /** Inputs of calls to the console; undefined before the first. */
  consoleCalls: Uint8Array[] | undefined;
  /** With a tracer: the current step, and the cost of the last one of each open frame. */
  pending: PendingStep | undefined;
  readonly lastCosts: StepCost[] = [];

  constructor(machine: Machine, environment: RunEnvironment) {
    this.machine = machine;
    this.rules = environment.rules;
    this.loaded = machine.load(environment.rules);
    this.state = environment.state;
    this.core = environment.state.core;
    this.block = environment.block;
    this.transaction = environment.transaction;
    this.precompiles = environment.precompiles;
    this.tracer = environment.tracer;
    this.isStepped = isStepped(environment.tracer);
    this.#now = environment.now;
    this.#limits = environment.limits;
  }

  /** Maximum gas of one precompiled contract, beyond which the run is aborted with `BudgetSpent`. */
  get precompileGas(): bigint | undefined {
    return this.#limits.budget?.precompileGas;
  }

  /** Aborts the run when its time is over. @throws EvmTimeout, BudgetSpent */
  checkDeadline(): void {
    const { deadline, budget } = this.#limits;
    if (deadline !== undefined && this.#now() >= deadline)
      throw new EvmTimeout("EVM_TIMEOUT", "execution timed out");
    if (budget?.isSpent()) throw new BudgetSpent();
  }

  /** The current step, for a step tracer; created on demand, since most runs have none. */
  get view(): MachineStep {
    this.#view ??= new MachineStep();
    return this.#view;
  }

  /** The opcode that leaves the interpreter, for a tracer; created on demand. */
  get hostOpcode(): HostOpcode {
    this.#hostOpcode ??= new HostOpcode();
    return this.#hostOpcode;
  }

  /** Record of the current frame in linear memory. */
  get record(): number {
    return frameRecord(this.depth);
  }

  get frame(): Frame {
    return this.frames[this.depth] as Frame;
  }

  /** Charges gas below 2^32 to the frame at `record`. @returns false, without charging, if it has less */
  pay(record: number, gas: number): boolean {
    const words = this.machine.u32;
    const at = (record >>> 2) + GAS;
    words[(record >>> 2) + COST] = gas;
    words[(record >>> 2) + COST + 1] = 0;
    const low = words[at] as number;
    if (low >= gas) {
      words[at] = low - gas;
      return true;
    }
    const high = words[at + 1] as number;
    if (high === 0) return false;
    words[at] = low - gas;
    words[at + 1] = high - 1;
    return true;
  }

  /** Gas left of a frame. */
  gas(record: number): bigint {
    return this.machine.i64[(record + FRAME_GAS) >>> 3] as bigint;
  }

  setGas(record: number, gas: bigint): void {
    this.machine.i64[(record + FRAME_GAS) >>> 3] = gas;
  }

  /** Sets the gas that the frame passes to its next callee. */
  setCallGas(record: number, gas: bigint): void {
    this.machine.i64[(record + FRAME_CALL_GAS) >>> 3] = gas;
  }

  get computationLeft(): bigint {
    return this.machine.i64[COMPUTATION_LEFT >>> 3] as bigint;
  }

  set computationLeft(cost: bigint) {
    this.machine.i64[COMPUTATION_LEFT >>> 3] = cost;
  }

  /** Code of the frame at `record`; a view. */
  codeAt(record: number): Uint8Array {
    const { u8, u32 } = this.machine;
    const start = u32[(record + FRAME_CODE) >>> 2] as number;
    return u8.subarray(start, start + (u32[(record + FRAME_CODE_SIZE) >>> 2] as number));
  }

  opcodeName(opcode: number): string {
    return opcodeName(this.rules.opcodes, opcode);
  }

  /** Whether a call from the current frame would exceed the maximum depth. */
  get isTooDeep(): boolean {
    return this.depth >= MAX_DEPTH;
  }
}

function isStepped(tracer: Tracer | undefined): boolean {
  if (tracer === undefined) return false;
  const { step, fault, opcode, watcher } = tracer;
  return [step, fault, opcode, watcher].some((hook) => hook !== undefined);
}

/** Address of the record of the frame at `depth`. */
export function frameRecord(depth: number): number {
  return FRAMES + depth * FRAME_SIZE;
}
