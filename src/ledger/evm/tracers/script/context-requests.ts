import { EMPTY_BYTES } from "../../../../protocol/primitives/bytes.ts";
import type { Tracer } from "../../evm.ts";
import type { TracedOutcome, TracedTransaction } from "../tracer.ts";
import { HostRequest, type HostResponse } from "./protocol.ts";

type Enter = Parameters<NonNullable<Tracer["enter"]>>[0];
type Exit = Parameters<NonNullable<Tracer["exit"]>>[0];

/** Collects `ctx`, the description of the transaction for a script's `result`. */
export class ContextRequests {
  readonly #transaction: TracedTransaction;
  /** Gas at the start of the outermost call. */
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

  /** The reference node sets the block number only if there was a step. */
  stepped(): void {
    this.#hasSteps = true;
  }

  ended({ output }: Exit): void {
    this.#output = output.slice();
  }

  finish(outcome: TracedOutcome): void {
    this.#outcome = outcome;
  }

  answer(request: number): HostResponse {
    const { from, to, input } = this.#transaction;
    switch (request) {
      case HostRequest.context:
        return this.#plain();
      case HostRequest.contextFrom:
        return from;
      case HostRequest.contextTo:
        return to;
      case HostRequest.contextInput:
        return input;
      default:
        return this.#output ?? this.#outcome.output;
    }
  }

  /** Numbers and strings; big integers as decimal strings. */
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
