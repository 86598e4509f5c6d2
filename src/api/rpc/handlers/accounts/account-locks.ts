import type { Address } from "../../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../../protocol/primitives/hex.ts";

/** One queue per account: work for it runs exclusively, in order of arrival. */
export class AccountLocks {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs `work` once everything before it has settled. */
  run<T>(account: Address, work: () => Promise<T>): Promise<T> {
    const key = bytesToHex(account);
    const before = this.#last.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.#last.set(key, mine);
    const forget = () => {
      if (this.#last.get(key) === mine) this.#last.delete(key);
    };
    mine.then(forget, forget);
    return mine;
  }
}
