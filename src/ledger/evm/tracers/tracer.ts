import type { Json } from "../../../protocol/codec/json/value.ts";
import { type Address, concat } from "../../../protocol/primitives/bytes.ts";
import type { StateJournal } from "../../state/journal/journal-types.ts";
import type { Tracer } from "../evm.ts";

/** The traced transaction or call. */
export interface TracedTransaction {
  readonly from: Address;
  /** Recipient or new contract; the sender for types without execution (account update, cancel, anchoring). */
  readonly to: Address;
  readonly isCreation: boolean;
  readonly value: bigint;
  readonly input: Uint8Array;
  /** Gas limit. */
  readonly gas: bigint;
  /** kei */
  readonly gasPrice: bigint;
  /** Number of the block that the code runs in. */
  readonly blockNumber: bigint;
}

/** Outcome of the traced transaction. */
export interface TracedOutcome {
  readonly gasUsed: bigint;
  readonly output: Uint8Array;
  /** Error text; absent on success. */
  readonly error?: string | undefined;
}

/** JSON text of a trace: a string, or ASCII bytes in chunks, each with its own buffer. */
export type TraceText = string | readonly Uint8Array<ArrayBuffer>[];

/** The text as one string. */
export function joinText(text: TraceText): string {
  return typeof text === "string" ? text : new TextDecoder().decode(concat(...text));
}

/** Traces one transaction; the result is in the JSON format of the reference node. */
export interface TransactionTracer {
  /** Absent if the tracer needs none. */
  readonly hooks?: Tracer;
  /** Called once, after the transaction. Absent if the tracer has `resultText`. */
  result?(outcome: TracedOutcome): Json;
  /** The result as JSON text, for tracers without `result`. */
  resultText?(outcome: TracedOutcome): TraceText;
}

/** Creates a tracer for one transaction. @param state - the state that the transaction changes */
export type TracerFactory = (transaction: TracedTransaction, state: StateJournal) => TransactionTracer;
