import { EMPTY_BYTES } from "../../../../protocol/primitives/bytes.ts";
import type { Tracer } from "../../evm.ts";
import { HostRequest, type HostResponse, Register } from "./protocol.ts";
import type { ScriptEngine } from "./script-engine.ts";
import { writeWord } from "./words.ts";

type Enter = Parameters<NonNullable<Tracer["enter"]>>[0];
type Exit = Parameters<NonNullable<Tracer["exit"]>>[0];

/** Answers a script's requests about the last call entered and the last call exited. */
export class FrameRequests {
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

  answer(request: number): HostResponse {
    const { registers } = this.#engine;
    switch (request) {
      case HostRequest.frameType:
        return this.#enter?.kind ?? "";
      case HostRequest.frameFrom:
        return this.#enter?.from ?? EMPTY_BYTES;
      case HostRequest.frameTo:
        return this.#enter?.to ?? EMPTY_BYTES;
      case HostRequest.frameInput:
        return this.#enter?.input ?? EMPTY_BYTES;
      case HostRequest.frameGas:
        registers[Register.out] = Number(this.#enter?.gas ?? 0n);
        return undefined;
      case HostRequest.frameValue:
        return this.#value();
      case HostRequest.exitGas:
        registers[Register.out] = Number(this.#exit?.gasUsed ?? 0n);
        return undefined;
      case HostRequest.exitOutput:
        return this.#exit?.output ?? EMPTY_BYTES;
      case HostRequest.exitError:
        return this.#exit?.error;
      default:
        return undefined;
    }
  }

  /** Undefined in the script for a call that cannot have a value. */
  #value(): undefined {
    const call = this.#enter;
    const hasValue = call !== undefined && call.kind !== "STATICCALL";
    this.#engine.registers[Register.out] = hasValue ? 1 : 0;
    writeWord(this.#engine, hasValue ? call.value : 0n);
  }
}
