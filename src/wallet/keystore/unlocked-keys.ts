import type { Cancel, Clock, Timers } from "../../platform/runtime/runtime.ts";
import type { Address } from "../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { type PrivateKeys, wipe } from "./private-keys.ts";

interface Unlocked {
  readonly keys: PrivateKeys;
  /** Cancels the scheduled lock; absent if unlocked until the process ends. */
  readonly cancel?: Cancel;
  /** When it will be locked, monotonic milliseconds; absent likewise. */
  readonly until?: number;
}

/** Maximum delay of a timer. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/** Decrypted keys in memory, by address, each with the time when it is wiped. */
export class UnlockedKeys {
  readonly #timers: Timers;
  readonly #clock: Pick<Clock, "elapsed">;
  readonly #unlocked = new Map<string, Unlocked>();

  constructor(timers: Timers, clock: Pick<Clock, "elapsed">) {
    this.#timers = timers;
    this.#clock = clock;
  }

  has(address: Address): boolean {
    return this.#unlocked.has(bytesToHex(address));
  }

  /** Milliseconds until an account is locked: Infinity = until the process ends, 0 = it is locked. */
  remainingMs(address: Address): number {
    const known = this.#unlocked.get(bytesToHex(address));
    if (known === undefined) return 0;
    return known.until === undefined ? Number.POSITIVE_INFINITY : known.until - this.#clock.elapsed();
  }

  /** The keys of an unlocked account, which the caller must not wipe; undefined when locked. */
  get(address: Address): PrivateKeys | undefined {
    return this.#unlocked.get(bytesToHex(address))?.keys;
  }

  /**
   * Keeps keys until they are locked, at the latest after `seconds` (0 = no limit). An account that is unlocked
   * without limit stays so; any other gets the new limit. Takes ownership of the keys.
   */
  unlock(keys: PrivateKeys, seconds: number): void {
    const id = bytesToHex(keys.address);
    const known = this.#unlocked.get(id);
    if (known !== undefined && known.cancel === undefined) {
      wipe(keys);
      return;
    }
    if (known !== undefined) this.#drop(id, known);
    const cancel = seconds > 0 ? this.#after(seconds * 1000, () => this.lock(keys.address)) : undefined;
    const until = this.#clock.elapsed() + seconds * 1000;
    this.#unlocked.set(id, cancel ? { keys, cancel, until } : { keys });
  }

  /** Wipes the keys of an account. @returns whether it was unlocked */
  lock(address: Address): boolean {
    const id = bytesToHex(address);
    const known = this.#unlocked.get(id);
    if (known === undefined) return false;
    this.#drop(id, known);
    return true;
  }

  /** Wipes everything. */
  clear(): void {
    for (const [id, known] of this.#unlocked) this.#drop(id, known);
  }

  #drop(id: string, { keys, cancel }: Unlocked): void {
    cancel?.();
    wipe(keys);
    this.#unlocked.delete(id);
  }

  #after(delayMs: number, callback: () => void): Cancel {
    const step = Math.min(delayMs, MAX_DELAY_MS);
    let cancel = this.#timers.schedule(step, () => {
      if (delayMs > step) cancel = this.#after(delayMs - step, callback);
      else callback();
    });
    return () => cancel();
  }
}
