import { EMPTY_BYTES } from "../../../../protocol/primitives/bytes.ts";
import type { Tracer } from "../../evm.ts";
import type { TracedOutcome, TracedTransaction } from "../tracer.ts";
import { type HostAnswer, Question } from "./protocol.ts";

type Enter = Parameters<NonNullable<Tracer["enter"]>>[0];
type Exit = Parameters<NonNullable<Tracer["exit"]>>[0];

/** Collects `ctx`, the description of the transaction for a script's `result`. */
export class ContextAnswers {
  readonly #transaction: TracedTransaction;
  /** Gas with which the outermost call began. */
  #gas: bigint;
  #output: Uint8Array | undefined;
  #hasSteps = false;
  #outcome: TracedOutcome = { gasUsed: 0n, output: EMPTY_BYTES };

  constructor(transaction: TracedTransaction) {
    this.#transaction = transaction;
    this.#gas = transaction.gas;
  }

  begun({ gas }: Enter): void {
    this.#gas = gas;
  }

  /** The reference tells the block's number only to a script that saw a step. */
  stepped(): void {
    this.#hasSteps = true;
  }

  ended({ output }: Exit): void {
    this.#output = output.slice();
  }

  finish(outcome: TracedOutcome): void {
    this.#outcome = outcome;
  }

  answer(question: number): HostAnswer {
    const { from, to, input } = this.#transaction;
    switch (question) {
      case Question.context:
        return this.#plain();
      case Question.contextFrom:
        return from;
      case Question.contextTo:
        return to;
      case Question.contextInput:
        return input;
      default:
        return this.#output ?? this.#outcome.output;
    }
  }

  /** Numbers and texts; big integers in digits. */
  #plain(): string {
    const { isCreation, gas, gasPrice, value, blockNumber } = this.#transaction;
    const { gasUsed, error } = this.#outcome;
    return JSON.stringify({
      type: isCreation ? "CREATE" : "CALL",
      gas: Number(this.#gas),
      intrinsicGas: Number(gas - this.#gas),
      gasUsed: Number(gasUsed),
      gasPrice: String(gasPrice),
      value: String(value),
      ...(this.#hasSteps && { block: Number(blockNumber) }),
      ...(error !== undefined && { error }),
    });
  }
}
