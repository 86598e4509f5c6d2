import type { Address } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";

/** The payment to one recipient, kei. */
export interface RewardPayment {
  readonly address: Address;
  readonly amount: bigint;
}

/** Amounts by recipient, in order of first payment. */
export class Payments {
  readonly #amounts = new Map<string, { address: Address; amount: bigint }>();

  /** Adds to the amount of a recipient. */
  add(address: Address, amount: bigint): void {
    const key = bytesToHex(address);
    const before = this.#amounts.get(key)?.amount ?? 0n;
    this.#amounts.set(key, { address, amount: before + amount });
  }

  list(): readonly RewardPayment[] {
    return [...this.#amounts.values()];
  }
}
