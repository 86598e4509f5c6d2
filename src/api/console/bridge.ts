import type { Json } from "../../protocol/codec/json/value.ts";

/** Requests of the evaluating thread to the main thread; each reply is awaited synchronously. */
export interface Bridge {
  /** Calls the node. @throws RemoteCallError */
  call(method: string, params: readonly Json[]): Json;
  /** Prompts for a secret without echo, twice for a new one. @throws Error when the two differ */
  secret(question: string, twice: boolean): string;
  /** Waits. */
  sleep(milliseconds: number): void;
  /** Writes text above the prompt. */
  print(text: string): void;
}

/** A call that failed at the node or in transport, or was stopped by the user. */
export class RemoteCallError extends Error {
  override name = "Error";
  /** JSON-RPC number of the node's error. */
  readonly code?: number;
  readonly data?: unknown;

  constructor({ message, code, data }: BridgedFailure) {
    super(message);
    if (code !== undefined) this.code = code;
    if (data !== undefined) this.data = data;
  }
}

/** An error as passed between the threads. */
export interface BridgedFailure {
  readonly message: string;
  readonly code?: number;
  readonly data?: unknown;
}

/** Requests of the evaluating thread. */
export type BridgeQuestion =
  | { readonly kind: "call"; readonly method: string; readonly params: readonly Json[] }
  | { readonly kind: "secret"; readonly question: string; readonly twice: boolean }
  | { readonly kind: "sleep"; readonly milliseconds: number };

/** The reply to a request. */
export type BridgeReply = { readonly value: unknown } | { readonly failure: BridgedFailure };

/** A reply with the number of its request: nobody awaits the reply to an interrupted one. */
export interface NumberedReply {
  readonly id: number;
  readonly answer: BridgeReply;
}

/** The outcome of an evaluation. */
export interface EvaluationOutcome {
  /** The value or the error, formatted for output. */
  readonly text: string;
  readonly failed: boolean;
  /** A suggestion for an unknown name without a value, formatted for output. */
  readonly hint?: string;
}

/** Commands for the evaluating thread. */
export type WorkerCommand =
  | { readonly kind: "evaluate"; readonly source: string; readonly file?: string }
  | { readonly kind: "complete"; readonly line: string }
  | { readonly kind: "abandon" }
  /** Answered with `pong` by an idle thread. */
  | { readonly kind: "ping" };

/** Messages from the evaluating thread to the main one. */
export type WorkerMessage =
  | { readonly kind: "ask"; readonly id: number; readonly question: BridgeQuestion }
  /** An evaluation has begun: from here on it can be stopped. */
  | { readonly kind: "running" }
  | { readonly kind: "pong" }
  | { readonly kind: "print"; readonly text: string }
  /** The result is a promise; the thread is free until it settles. */
  | { readonly kind: "awaiting" }
  | { readonly kind: "done"; readonly outcome: EvaluationOutcome }
  | { readonly kind: "completions"; readonly names: readonly string[]; readonly word: string };
