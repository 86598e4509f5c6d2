import { EMPTY_BYTES } from "../../../../protocol/primitives/bytes.ts";
import type { Tracer } from "../../evm.ts";
import { type HostAnswer, Question, Register } from "./protocol.ts";
import type { ScriptEngine } from "./script-engine.ts";
import { writeWord } from "./words.ts";

type Enter = Parameters<NonNullable<Tracer["enter"]>>[0];
type Exit = Parameters<NonNullable<Tracer["exit"]>>[0];

/** Answers a script's questions about the call it was last told about, and about the end of one. */
export class FrameAnswers {
  readonly #engine: ScriptEngine;
  #enter: Enter | undefined;
  #exit: Exit | undefined;

  constructor(engine: ScriptEngine) {
    this.#engine = engine;
  }

  entered(call: Enter): void {
    this.#enter = { ...call, input: call.input.slice() };
  }

  exited(end: Exit): void {
    this.#exit = { ...end, output: end.output.slice() };
  }

  answer(question: number): HostAnswer {
    const { registers } = this.#engine;
    switch (question) {
      case Question.frameType:
        return this.#enter?.kind ?? "";
      case Question.frameFrom:
        return this.#enter?.from ?? EMPTY_BYTES;
      case Question.frameTo:
        return this.#enter?.to ?? EMPTY_BYTES;
      case Question.frameInput:
        return this.#enter?.input ?? EMPTY_BYTES;
      case Question.frameGas:
        registers[Register.out] = Number(this.#enter?.gas ?? 0n);
        return undefined;
      case Question.frameValue:
        return this.#value();
      case Question.exitGas:
        registers[Register.out] = Number(this.#exit?.gasUsed ?? 0n);
        return undefined;
      case Question.exitOutput:
        return this.#exit?.output ?? EMPTY_BYTES;
      case Question.exitError:
        return this.#exit?.error;
      default:
        return undefined;
    }
  }

  /** A call that can have no value says so. */
  #value(): undefined {
    const call = this.#enter;
    const hasValue = call !== undefined && call.kind !== "STATICCALL";
    this.#engine.registers[Register.out] = hasValue ? 1 : 0;
    writeWord(this.#engine, hasValue ? call.value : 0n);
  }
}
