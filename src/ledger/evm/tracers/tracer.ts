import type { Json } from "../../../protocol/codec/json/value.ts";
import { type Address, concat } from "../../../protocol/primitives/bytes.ts";
import type { StateJournal } from "../../state/journal/journal-types.ts";
import type { Tracer } from "../evm.ts";

/** The transaction, or call, that is traced. */
export interface TracedTransaction {
  readonly from: Address;
  /** Recipient or new contract; the sender itself where no code can run (account update, cancel, anchoring). */
  readonly to: Address;
  readonly isCreation: boolean;
  readonly value: bigint;
  readonly input: Uint8Array;
  /** Gas limit. */
  readonly gas: bigint;
  /** kei */
  readonly gasPrice: bigint;
  /** Of the block that the code sees. */
  readonly blockNumber: bigint;
}

/** How it ended. */
export interface TracedOutcome {
  readonly gasUsed: bigint;
  readonly output: Uint8Array;
  /** The error's own text; absent on success. */
  readonly error?: string | undefined;
}

/** JSON text of a trace: of a long one its bytes, all ASCII, piece by piece, each the only view of its buffer. */
export type TraceText = string | readonly Uint8Array<ArrayBuffer>[];

/** The text in one piece, for those who cannot take several. */
export function wholeText(text: TraceText): string {
  return typeof text === "string" ? text : new TextDecoder().decode(concat(...text));
}

/** Watches one transaction and shows what it saw, in the JSON of the reference node. */
export interface TransactionTracer {
  /** Absent where nothing needs to be watched. */
  readonly hooks?: Tracer;
  /** Called once, after the transaction. Absent where the tracer writes its JSON itself. */
  result?(outcome: TracedOutcome): Json;
  /** JSON text, of a tracer without `result`. */
  resultText?(outcome: TracedOutcome): TraceText;
}

/** Makes a tracer for one transaction. The state is the one that the transaction changes. */
export type TracerFactory = (transaction: TracedTransaction, state: StateJournal) => TransactionTracer;
