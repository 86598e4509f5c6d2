import type { Address } from "../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { vouch } from "../../protocol/transaction/impersonation.ts";
import type { SenderRecovery } from "../../protocol/transaction/recovery.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";

/** Who is impersonated, for `Impersonation.restore`. */
export interface ImpersonationSetting {
  readonly accounts: readonly string[];
  readonly isAutomatic: boolean;
}

/** The accounts for which a development chain takes transactions without their keys. Lives as long as the process. */
export class Impersonation {
  readonly #accounts = new Set<string>();
  /** Calls that impersonate an account only while they run. */
  readonly #running = new Map<string, number>();
  /** Whether every account without a key of this node is impersonated. */
  isAutomatic = false;

  get setting(): ImpersonationSetting {
    return { accounts: [...this.#accounts], isAutomatic: this.isAutomatic };
  }

  restore({ accounts, isAutomatic }: ImpersonationSetting): void {
    this.#accounts.clear();
    for (const account of accounts) this.#accounts.add(account);
    this.isAutomatic = isAutomatic;
  }

  start(address: Address): void {
    this.#accounts.add(bytesToHex(address));
  }

  /** @returns whether the account was impersonated */
  stop(address: Address): boolean {
    return this.#accounts.delete(bytesToHex(address));
  }

  /** Impersonates an account for one piece of work. */
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

  /** @param hasKey - asks whether this node has a key of the account, which goes before automatic impersonation */
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

/** Vouches for what is in the chain already, whoever is impersonated now. */
export function restoreImpersonated(transactions: readonly Transaction[], chainId: bigint): void {
  for (const tx of transactions) vouch(tx, chainId, () => true);
}
