import type { Address } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { vouch } from "../../../protocol/transaction/signatures/impersonation.ts";
import type { SenderRecovery } from "../../../protocol/transaction/signatures/recovery.ts";
import type { Transaction } from "../../../protocol/transaction/transaction.ts";
import { DevError } from "../errors.ts";

/** Most accounts impersonated by name; `anvil_autoImpersonateAccount` covers all. */
const MAX_ACCOUNTS = 10_000;

/** The impersonated accounts, for `Impersonation.restore`. */
export interface ImpersonationSetting {
  /** Never mutated: saved settings share it. */
  readonly accounts: ReadonlySet<string>;
  readonly isAutomatic: boolean;
}

/** The accounts for which a development chain accepts transactions without their keys. Lives as long as the process. */
export class Impersonation {
  #accounts = new Set<string>();
  /** Whether a saved setting shares the set: it is then copied before it changes. */
  #isShared = false;
  /** Running calls that impersonate an account temporarily. */
  readonly #running = new Map<string, number>();
  /** Whether every account without a key of this node is impersonated. */
  isAutomatic = false;

  get setting(): ImpersonationSetting {
    this.#isShared = true;
    return { accounts: this.#accounts, isAutomatic: this.isAutomatic };
  }

  restore({ accounts, isAutomatic }: ImpersonationSetting): void {
    this.#accounts = new Set(accounts);
    this.#isShared = false;
    this.isAutomatic = isAutomatic;
  }

  /** @throws DevError `TOO_MANY` */
  start(address: Address): void {
    const key = bytesToHex(address);
    if (this.#accounts.has(key)) return;
    if (this.#accounts.size >= MAX_ACCOUNTS)
      throw new DevError("TOO_MANY", `${MAX_ACCOUNTS} accounts are impersonated already`);
    this.#own().add(key);
  }

  /** @returns whether the account was impersonated */
  stop(address: Address): boolean {
    const key = bytesToHex(address);
    return this.#accounts.has(key) && this.#own().delete(key);
  }

  /** Impersonates an account while `work` runs. */
  async during<T>(address: Address, work: () => T | Promise<T>): Promise<T> {
    const key = bytesToHex(address);
    this.#running.set(key, (this.#running.get(key) ?? 0) + 1);
    try {
      return await work();
    } finally {
      const left = (this.#running.get(key) ?? 1) - 1;
      if (left > 0) this.#running.set(key, left);
      else this.#running.delete(key);
    }
  }

  #own(): Set<string> {
    if (this.#isShared) this.#accounts = new Set(this.#accounts);
    this.#isShared = false;
    return this.#accounts;
  }

  /**
   * @param hasKey - tells whether this node holds a key of the account, which takes precedence over automatic
   * impersonation
   */
  covers(address: Address, hasKey: () => boolean): boolean {
    if (this.isAutomatic && !hasKey()) return true;
    if (this.#accounts.size === 0 && this.#running.size === 0) return false;
    const key = bytesToHex(address);
    return this.#accounts.has(key) || this.#running.has(key);
  }

  /** Recovery for new transactions: those of impersonated accounts are vouched for, others go to `recovery`. */
  recovering(recovery: SenderRecovery, chainId: bigint): SenderRecovery {
    const isAllowed = (address: Address): boolean => this.covers(address, () => false);
    return {
      recover: (transactions, signal) => {
        const ordinary = transactions.filter((tx) => !vouch(tx, chainId, isAllowed));
        return recovery.recover(ordinary, signal);
      },
    };
  }
}

/** Vouches for transactions already in the chain, whether or not their sender is still impersonated. */
export function restoreImpersonated(transactions: readonly Transaction[], chainId: bigint): void {
  for (const tx of transactions) vouch(tx, chainId, () => true);
}
