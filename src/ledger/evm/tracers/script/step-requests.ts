import { EMPTY_BYTES } from "../../../../protocol/primitives/bytes.ts";
import type { StepInfo } from "../../evm.ts";
import type { CallStack } from "./call-stack.ts";
import { HostRequest, type HostResponse, Register } from "./protocol.ts";
import type { ScriptEngine } from "./script-engine.ts";
import { wordOf, writeWord } from "./words.ts";

/** Answers a script's requests about the current step. */
export class StepRequests {
  readonly #engine: ScriptEngine;
  readonly #calls: CallStack;
  #step: StepInfo | undefined;
  #error: string | undefined;

  constructor(engine: ScriptEngine, calls: CallStack) {
    this.#engine = engine;
    this.#calls = calls;
  }

  /** Writes the numbers of a step to the registers. */
  show(step: StepInfo): void {
    this.#step = step;
    this.#error = step.error;
    const { registers } = this.#engine;
    registers[Register.pc] = step.pc;
    registers[Register.gas] = Number(step.gas);
    // The reference hands it over as an unsigned 32-bit number.
    registers[Register.cost] = Number(BigInt.asUintN(32, step.gasCost));
    registers[Register.depth] = step.depth;
    registers[Register.refund] = Number(step.refund);
    registers[Register.op] = step.op;
    registers[Register.height] = step.stack.length;
    registers[Register.failed] = step.error === undefined ? 0 : 1;
  }

  /** Sets only the error: for a script without `step`, the reference node sets nothing else of a fault. */
  showError(error: string | undefined): void {
    this.#error = error;
    this.#engine.registers[Register.failed] = error === undefined ? 0 : 1;
  }

  answer(request: number): HostResponse {
    const { registers } = this.#engine;
    const step = this.#step;
    switch (request) {
      case HostRequest.opName:
        return step?.opName ?? "STOP";
      case HostRequest.error:
        return this.#error;
      case HostRequest.peek:
        return writeWord(this.#engine, peek(step, registers[Register.a] as number));
      case HostRequest.memory:
        return slice(step?.memory, registers[Register.a] as number, registers[Register.b] as number);
      case HostRequest.memoryWord: {
        const start = registers[Register.a] as number;
        return writeWord(this.#engine, wordOf(slice(step?.memory, start, start + 32)));
      }
      default:
        return this.#contract(request);
    }
  }

  #contract(request: number): HostResponse {
    const contract = this.#calls.at(this.#step?.depth ?? 0);
    switch (request) {
      case HostRequest.caller:
        return contract?.caller ?? EMPTY_BYTES;
      case HostRequest.address:
        return contract?.address ?? EMPTY_BYTES;
      case HostRequest.input:
        return contract?.input ?? EMPTY_BYTES;
      default:
        return writeWord(this.#engine, contract?.value ?? 0n);
    }
  }
}

function peek(step: StepInfo | undefined, depth: number): bigint {
  return depth >= 0 ? (step?.stack.at(-1 - depth) ?? 0n) : 0n;
}

/** A slice of memory; empty if out of bounds. */
function slice(memory: Uint8Array | undefined, start: number, end: number): Uint8Array {
  const isInside = memory !== undefined && start >= 0 && start <= end && end <= memory.length;
  return isInside ? memory.subarray(start, end) : EMPTY_BYTES;
}
