import type { Secret } from "../../../../protocol/codec/json/secret.ts";
import type { Address } from "../../../../protocol/primitives/bytes.ts";
import type { Passphrase } from "../../../../wallet/passphrase.ts";
import type { CallContext } from "../../spec/method.ts";

/** Converts an argument to a passphrase on behalf of the caller; wiped when the call ends. */
export type SecretReader = (given: Secret) => Passphrase;

/**
 * Guards the keys against callers. Wallets accept only passphrases created here, so no method can bypass it: it slows
 * down guessing over a port, decides who may keep a key in memory, and wipes passphrases.
 */
export interface KeyGuard {
  /**
   * Runs a task that opens the key of an account.
   * @throws WalletError `KDF_BUSY`, `CALLER_GONE`, and what `task` throws
   */
  attempt<T>(account: Address, context: CallContext, task: (secret: SecretReader) => Promise<T>): Promise<T>;
  /** Runs a task that adds a key. @throws as `attempt` */
  create<T>(context: CallContext, task: (secret: SecretReader) => Promise<T>): Promise<T>;
  /**
   * Runs a task that keeps the key of an account in memory, for as long as is allowed.
   * @param seconds - 0 = until the node ends
   * @returns false, with the reason in the log, when that is forbidden or fails
   * @throws WalletError `KDF_BUSY`: the passphrase may have been the right one
   */
  unlock(
    address: Address,
    context: CallContext,
    seconds: number,
    task: (secret: SecretReader, seconds: number) => Promise<void>,
  ): Promise<boolean>;
}
