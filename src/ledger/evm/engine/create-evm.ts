import { contractAddress, saltedContractAddress } from "../../../protocol/account/address.ts";
import { keccak256 } from "../../../protocol/crypto/keccak.ts";
import { NodeError } from "../../../protocol/primitives/errors.ts";
import { isTrap } from "../../../protocol/wasm/web-assembly.ts";
import type { StateJournal } from "../../state/journal/journal-types.ts";
import type { BlockContext, Evm, Message, RunLimits, RunResult, Tracer, TransactionContext } from "../evm.ts";
import type { PrecompileTable } from "../precompile.ts";
import { kaiaRuleSet } from "../tables/kaia-rules.ts";
import type { RuleSet } from "../tables/rule-set.ts";
import type { CodeCompiler } from "./compiler/code-compiler.ts";
import { writeBlockWords, writeTransactionWords } from "./constant-words.ts";
import { Execution, frameRecord, type RunEnvironment } from "./execution.ts";
import { enterCall } from "./host/calls.ts";
import { enterCreate } from "./host/creates.ts";
import { runPlainTransfer } from "./host/plain-transfer.ts";
import { type Quantum, runFrames } from "./interpreter/loop.ts";
import { FLAG_STATIC, MEMORIES, STACKS } from "./layout.ts";
import { Machine } from "./machine.ts";
import { RunCache } from "./run-cache.ts";

/** A run was aborted because it needs too much memory. */
export class EvmError extends NodeError<"EVM_RESOURCES"> {
  override name = "EvmError";
}

/** Dependencies of an EVM. */
export interface EvmParts {
  readonly precompiles: PrecompileTable;
  /** Epoch milliseconds, for `RunLimits.deadline`. */
  readonly now: () => number;
  /** Rule set of a block; Kaia's by default. */
  readonly ruleSetOf?: (block: BlockContext) => RuleSet;
  readonly quantum?: Quantum;
  /** Compiles hot contracts; without it all code is interpreted. */
  readonly compiler?: CodeCompiler | undefined;
  /** Maximum memory of all frames of a run, bytes, a multiple of 64 KiB; by default 4 GiB including everything else. */
  readonly memoryLimit?: number;
}

/** Maximum of a frame's signed 64-bit gas counter; gas beyond it is returned unused. */
const MAX_GAS = 0x7fff_ffff_ffff_ffffn;
const NO_LIMIT = 0x7fff_ffff_ffff_ffffn;
const DEFAULT_QUANTUM: Quantum = { gas: 100_000, steps: 1_000_000 };

/** Creates an EVM. Nothing is loaded before the first run; then it has one machine per nesting level of runs. */
export function createEvm(parts: EvmParts): Evm {
  return new InterpretingEvm(parts);
}

class InterpretingEvm implements Evm {
  readonly #parts: EvmParts;
  /** Idle machines. A run inside a tracer or a precompile uses another one than the outer run. */
  readonly #machines: Machine[] = [];

  constructor(parts: EvmParts) {
    this.#parts = parts;
  }

  run(
    message: Message,
    block: BlockContext,
    transaction: TransactionContext,
    state: StateJournal,
    limits: RunLimits,
    tracer?: Tracer,
  ): RunResult {
    const rules = this.#parts.ruleSetOf?.(block) ?? kaiaRuleSet(block.rules);
    const isPlain = tracer === undefined && block.moved === undefined;
    const transferred = isPlain ? runPlainTransfer(message, state, rules) : undefined;
    if (transferred !== undefined) return transferred;
    const machine = this.#machines.pop() ?? new Machine(this.#parts.memoryLimit, this.#parts.compiler);
    const { precompiles, now, quantum } = this.#parts;
    const environment = { rules, state, block, transaction, precompiles, now, limits, tracer };
    const usesCache = tracer === undefined && !quantum?.exact;
    try {
      return this.#attempt(machine, environment, message, usesCache);
    } finally {
      if (machine.isReusable) this.#machines.push(machine);
    }
  }

  /** @param usesCache - whether the run keeps its slots, logs and callees in linear memory; one that exceeds it is restarted without */
  #attempt(machine: Machine, environment: RunEnvironment, message: Message, usesCache: boolean): RunResult {
    machine.begin(environment.rules, usesCache);
    const run = new Execution(machine, environment);
    const cache = usesCache ? new RunCache(run) : undefined;
    run.cache = cache;
    try {
      return this.#execute(run, message, environment.limits, cache);
    } catch (error) {
      const reason = this.#abort(run, error);
      if (!cache?.isFull || !isTrap(error)) throw reason;
    }
    return this.#attempt(machine, environment, message, false);
  }

  #execute(run: Execution, message: Message, limits: RunLimits, cache: RunCache | undefined): RunResult {
    const excessGas = message.gas > MAX_GAS ? message.gas - MAX_GAS : 0n;
    const budget = limits.computation ?? NO_LIMIT;
    run.core.checkpoint();
    run.setGas(frameRecord(0), message.gas - excessGas);
    run.computationLeft = budget;
    writeConstants(run);
    const createdAddress = enterMessage(run, message);
    runFrames(run, this.#parts.quantum ?? DEFAULT_QUANTUM);
    const { failure, output } = run.result as NonNullable<typeof run.result>;
    if (failure === undefined || failure.keepsState) cache?.writeBack();
    run.core.commit();
    return {
      outcome: failure?.outcome ?? "success",
      error: failure?.text,
      gasLeft: run.gas(frameRecord(0)) + excessGas,
      output,
      createdAddress,
      computation: budget - run.computationLeft,
      console: run.consoleCalls,
    };
  }

  /** Reverts the state changes of an aborted run. @returns the error to throw */
  #abort(run: Execution, error: unknown): unknown {
    for (const frame of run.frames.slice(0, run.depth + 1)) if (frame.checkpointed) run.core.revert();
    run.core.revert();
    run.machine.renewViews();
    if (!isTrap(error) && !(error instanceof RangeError)) return error;
    const { memoryLimit = 2 ** 32 } = this.#parts;
    const text = `the run needs more than ${memoryLimit / 2 ** 20} MiB of memory`;
    return new EvmError("EVM_RESOURCES", text, {}, { cause: error });
  }
}

/** Opens the outermost frame. @returns the address of the new contract, for a creation */
function enterMessage(run: Execution, message: Message): Uint8Array | undefined {
  const { caller, to, value, input } = message;
  const entry = run.core.entry(caller);
  if (to === undefined) {
    const address = message.salt
      ? saltedContractAddress(caller, message.salt, keccak256(input))
      : contractAddress(caller, entry.account?.nonce ?? 0n);
    const regions = { stack: STACKS, memory: MEMORIES };
    const kind = message.salt ? "CREATE2" : "CREATE";
    enterCreate(run, {
      kind,
      creator: entry,
      created: run.core.entry(address),
      value,
      initCode: input,
      ...regions,
    });
    return address;
  }
  run.machine.reserve(MEMORIES + input.length + 64);
  run.machine.u8.set(input, MEMORIES);
  enterCall(run, {
    kind: "CALL",
    caller: entry,
    target: run.core.entry(to),
    value,
    input: MEMORIES,
    inputSize: input.length,
    stack: STACKS,
    memory: (MEMORIES + input.length + 31) & ~31,
    flags: message.isStatic ? FLAG_STATIC : 0,
  });
  return undefined;
}

/** Writes the words that are constant in a transaction, unless they are up to date. */
function writeConstants(run: Execution): void {
  const { block, transaction, machine } = run;
  if (machine.transaction !== transaction) {
    machine.transaction = transaction;
    writeTransactionWords(machine.u32, transaction);
  }
  if (machine.block === block) return;
  machine.block = block;
  writeBlockWords(machine.u32, block);
}
