import type { Clock } from "../../../platform/runtime/runtime.ts";
import type { Address } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";

/** How much is paid per day (UTC), in kei; absent = no limit but the account's balance. */
export interface DailyLimitOptions {
  /** For all senders together. */
  readonly dailyLimit?: bigint;
  /** For one sender. */
  readonly dailySenderLimit?: bigint;
}

const DAY_MS = 86_400_000;
/** Most senders tracked per day; further ones have to wait for the next day. */
const MAX_SENDERS = 100_000;

/** Fees paid today. A transaction reserves its maximum cost and returns what it did not need. */
export class DailyLimits {
  readonly #options: DailyLimitOptions;
  readonly #clock: Pick<Clock, "now">;
  #day = 0;
  #spent = 0n;
  readonly #bySender = new Map<string, bigint>();

  constructor(options: DailyLimitOptions, clock: Pick<Clock, "now">) {
    this.#options = options;
    this.#clock = clock;
  }

  /**
   * Takes the cost of a transaction.
   * @returns a function that settles it with the fee actually paid, 0 if none was; a text if the limit does not allow it
   */
  take(sender: Address, cost: bigint): ((fee: bigint) => void) | string {
    this.#turnDay();
    const { dailyLimit, dailySenderLimit } = this.#options;
    const id = bytesToHex(sender);
    const before = this.#bySender.get(id);
    if (dailyLimit !== undefined && this.#spent + cost > dailyLimit) return "Daily limit is reached";
    if (dailySenderLimit !== undefined) {
      if ((before ?? 0n) + cost > dailySenderLimit) return "Daily limit of the sender is reached";
      if (before === undefined && this.#bySender.size >= MAX_SENDERS) return "Daily limit is reached";
    }
    this.#add(id, cost);
    const day = this.#day;
    return (fee) => {
      if (this.#day === day) this.#add(id, fee - cost);
    };
  }

  #add(id: string, amount: bigint): void {
    this.#spent += amount;
    if (this.#options.dailySenderLimit === undefined) return;
    const spent = (this.#bySender.get(id) ?? 0n) + amount;
    if (spent === 0n) this.#bySender.delete(id);
    else this.#bySender.set(id, spent);
  }

  #turnDay(): void {
    const day = Math.floor(this.#clock.now() / DAY_MS);
    if (day <= this.#day) return; // setting the clock back does not reset the limit
    this.#day = day;
    this.#spent = 0n;
    this.#bySender.clear();
  }
}
