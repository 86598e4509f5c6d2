import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import type { StepView, StepWatcher } from "../evm.ts";
import { TracerError } from "./errors.ts";
import { StepText, type StepTextOptions } from "./struct-log/step-text.ts";
import { TextChunks } from "./struct-log/text-chunks.ts";
import type { TracerFactory } from "./tracer.ts";

/** Options of struct logs. */
export interface StructLogOptions extends StepTextOptions {
  /** Maximum number of steps; 0 = all. */
  readonly limit?: number | undefined;
}

const encoder = new TextEncoder();
/**
 * Maximum total size of a response. It is sent in chunks. The reference node is limited only by its timeout of ten seconds,
 * in which it writes some 120 MB for a loop with memory.
 */
const MAX_BYTES = 200_000_000;

/**
 * Every step with its stack, memory and the slots written so far. The hooks throw TracerError `TRACE_TOO_LARGE` when the traces
 * of all transactions of the factory together exceed the maximum size of a response.
 */
export function structLogger(options: StructLogOptions): TracerFactory {
  const { limit = 0 } = options;
  const budget = { bytes: MAX_BYTES };
  return () => {
    const logs = new TextChunks();
    const watcher = new StructLog(logs, new StepText(options), { limit, budget });
    return {
      hooks: { watcher },
      resultText({ gasUsed, output, error }) {
        const isFailed = error !== undefined;
        const returned = isFailed ? "" : bytesToHex(output).slice(2);
        const head = `{"gas":${gasUsed},"failed":${isFailed},"returnValue":"${returned}","structLogs":[`;
        return [encoder.encode(head), ...logs.chunks(), encoder.encode("]}")];
      },
    };
  };
}

class StructLog implements StepWatcher {
  readonly #logs: TextChunks;
  readonly #step: StepText;
  readonly #limit: number;
  readonly #budget: { bytes: number };
  #count = 0;

  constructor(
    logs: TextChunks,
    step: StepText,
    { limit, budget }: { limit: number; budget: { bytes: number } },
  ) {
    this.#logs = logs;
    this.#step = step;
    this.#limit = limit;
    this.#budget = budget;
  }

  before(view: StepView): void {
    if (!this.#isFull) this.#step.before(view);
  }

  after(view: StepView, cost: Parameters<StepWatcher["after"]>[1]): void {
    if (this.#isFull) return;
    const size = this.#step.sizeOf(view);
    if (size > this.#budget.bytes) throw tooLarge(this.#count);
    this.#logs.reserve(size);
    const start = this.#logs.at;
    if (this.#count > 0) this.#logs.comma();
    this.#step.after(view, cost, this.#logs);
    this.#budget.bytes -= this.#logs.at - start;
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
