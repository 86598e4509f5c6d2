import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import type { StepView, StepWatcher } from "../evm.ts";
import { TracerError } from "./errors.ts";
import { StepText, type StepTextOptions } from "./struct-log/step-text.ts";
import { TextChunks } from "./struct-log/text-chunks.ts";
import type { TracerFactory } from "./tracer.ts";

/** What a struct log leaves out. */
export interface StructLogOptions extends StepTextOptions {
  /** Most steps that are kept; 0 = all. */
  readonly limit?: number | undefined;
}

const encoder = new TextEncoder();
/**
 * Bytes that one answer may have in all. They leave as pieces, and the reference has no bound but its ten seconds, in which it
 * writes some 120 MB of a loop with memory.
 */
const MAX_BYTES = 200_000_000;

/**
 * Every step with its stack, memory and the slots written so far. The hooks throw TracerError `TRACE_TOO_LARGE` when all
 * transactions of the factory together become more than an answer can hold.
 */
export function structLogger(options: StructLogOptions): TracerFactory {
  const { limit = 0 } = options;
  const room = { bytes: MAX_BYTES };
  return () => {
    const logs = new TextChunks();
    const watcher = new StructLog(logs, new StepText(options), { limit, room });
    return {
      hooks: { watcher },
      resultText({ gasUsed, output, error }) {
        const isFailed = error !== undefined;
        const returned = isFailed ? "" : bytesToHex(output).slice(2);
        const head = `{"gas":${gasUsed},"failed":${isFailed},"returnValue":"${returned}","structLogs":[`;
        return [encoder.encode(head), ...logs.pieces(), encoder.encode("]}")];
      },
    };
  };
}

class StructLog implements StepWatcher {
  readonly #logs: TextChunks;
  readonly #step: StepText;
  readonly #limit: number;
  readonly #room: { bytes: number };
  #count = 0;

  constructor(logs: TextChunks, step: StepText, { limit, room }: { limit: number; room: { bytes: number } }) {
    this.#logs = logs;
    this.#step = step;
    this.#limit = limit;
    this.#room = room;
  }

  before(view: StepView): void {
    if (!this.#isFull) this.#step.before(view);
  }

  after(view: StepView, cost: Parameters<StepWatcher["after"]>[1]): void {
    if (this.#isFull) return;
    const size = this.#step.sizeOf(view);
    if (size > this.#room.bytes) throw tooLarge(this.#count);
    this.#logs.reserve(size);
    const start = this.#logs.at;
    if (this.#count > 0) this.#logs.comma();
    this.#step.after(view, cost, this.#logs);
    this.#room.bytes -= this.#logs.at - start;
    this.#count++;
  }

  get #isFull(): boolean {
    return this.#limit !== 0 && this.#count >= this.#limit;
  }
}

function tooLarge(steps: number): TracerError {
  const text = `the trace is too large after ${steps} steps: set limit, disableMemory or disableStack`;
  return new TracerError("TRACE_TOO_LARGE", text, { steps });
}
