import type { Address } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";

/** What one recipient gets, kei. */
export interface RewardPayment {
  readonly address: Address;
  readonly amount: bigint;
}

/** Amounts by recipient, in the order in which recipients first appear. */
export class Payments {
  readonly #amounts = new Map<string, { address: Address; amount: bigint }>();

  /** Adds to what a recipient gets. */
  add(address: Address, amount: bigint): void {
    const key = bytesToHex(address);
    const before = this.#amounts.get(key)?.amount ?? 0n;
    this.#amounts.set(key, { address, amount: before + amount });
  }

  list(): readonly RewardPayment[] {
    return [...this.#amounts.values()];
  }
}
