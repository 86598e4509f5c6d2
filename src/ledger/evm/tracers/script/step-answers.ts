import { EMPTY_BYTES } from "../../../../protocol/primitives/bytes.ts";
import type { StepInfo } from "../../evm.ts";
import type { CallStack } from "./call-stack.ts";
import { type HostAnswer, Question, Register } from "./protocol.ts";
import type { ScriptEngine } from "./script-engine.ts";
import { wordOf, writeWord } from "./words.ts";

/** Answers what a script asks of the step that it was shown last. */
export class StepAnswers {
  readonly #engine: ScriptEngine;
  readonly #calls: CallStack;
  #step: StepInfo | undefined;
  #error: string | undefined;

  constructor(engine: ScriptEngine, calls: CallStack) {
    this.#engine = engine;
    this.#calls = calls;
  }

  /** Leaves the numbers of a step for the script. */
  show(step: StepInfo): void {
    this.#step = step;
    this.#error = step.error;
    const { registers } = this.#engine;
    registers[Register.pc] = step.pc;
    registers[Register.gas] = Number(step.gas);
    registers[Register.cost] = Number(step.gasCost);
    registers[Register.depth] = step.depth;
    registers[Register.refund] = Number(step.refund);
    registers[Register.op] = step.op;
    registers[Register.height] = step.stack.length;
    registers[Register.failed] = step.error === undefined ? 0 : 1;
  }

  /** Leaves only the error: to a script that sees no steps, the reference tells nothing else of a fault. */
  showError(error: string | undefined): void {
    this.#error = error;
    this.#engine.registers[Register.failed] = error === undefined ? 0 : 1;
  }

  answer(question: number): HostAnswer {
    const { registers } = this.#engine;
    const step = this.#step;
    switch (question) {
      case Question.opName:
        return step?.opName ?? "STOP";
      case Question.error:
        return this.#error;
      case Question.peek:
        return writeWord(this.#engine, peek(step, registers[Register.a] as number));
      case Question.memory:
        return slice(step?.memory, registers[Register.a] as number, registers[Register.b] as number);
      case Question.memoryWord: {
        const start = registers[Register.a] as number;
        return writeWord(this.#engine, wordOf(slice(step?.memory, start, start + 32)));
      }
      default:
        return this.#contract(question);
    }
  }

  #contract(question: number): HostAnswer {
    const contract = this.#calls.at(this.#step?.depth ?? 0);
    switch (question) {
      case Question.caller:
        return contract?.caller ?? EMPTY_BYTES;
      case Question.address:
        return contract?.address ?? EMPTY_BYTES;
      case Question.input:
        return contract?.input ?? EMPTY_BYTES;
      default:
        return writeWord(this.#engine, contract?.value ?? 0n);
    }
  }
}

function peek(step: StepInfo | undefined, depth: number): bigint {
  return depth >= 0 ? (step?.stack.at(-1 - depth) ?? 0n) : 0n;
}

/** What lies wholly inside; else nothing. */
function slice(memory: Uint8Array | undefined, start: number, end: number): Uint8Array {
  const isInside = memory !== undefined && start >= 0 && start <= end && end <= memory.length;
  return isInside ? memory.subarray(start, end) : EMPTY_BYTES;
}
