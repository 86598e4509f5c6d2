import { type Address, EMPTY_BYTES } from "../../../../protocol/primitives/bytes.ts";
import type { Tracer } from "../../evm.ts";

type Enter = Parameters<NonNullable<Tracer["enter"]>>[0];

/** The running contract, as `log.contract` shows it. */
export interface RunningContract {
  readonly caller: Address;
  readonly address: Address;
  readonly value: bigint;
  readonly input: Uint8Array;
}

/** The running contracts, outermost first. */
export class CallStack {
  readonly #contracts: RunningContract[] = [];

  enter({ kind, depth, from, to, value, input }: Enter): void {
    if (kind === "SELFDESTRUCT") return;
    const parent = this.#contracts[depth - 1];
    this.#contracts.length = depth;
    this.#contracts.push({
      caller: kind === "DELEGATECALL" && parent !== undefined ? parent.caller : from,
      address: kind === "CALLCODE" || kind === "DELEGATECALL" ? from : to,
      value,
      input: kind.startsWith("CREATE") ? EMPTY_BYTES : input.slice(),
    });
  }

  /** The contract at a depth, counted from 1. */
  at(depth: number): RunningContract | undefined {
    return this.#contracts[depth - 1];
  }
}
