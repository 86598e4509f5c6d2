import type { Cancel, Clock, Timers } from "../../../platform/runtime/runtime.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import type { NodeUrl } from "../node-url.ts";

/** Pause between attempts to dial a node. */
const RETRY_MS = 3_000;
/** After failed attempts the pause grows up to this. */
const MAX_RETRY_MS = 30_000;
/** Concurrent dials. */
const MAX_DIALLING = 16;

/** A discovered node is abandoned after this many failed attempts, and not dialled again for a while. */
const MAX_TRIES_OF_FOUND = 4;
const GIVEN_UP_MS = 300_000;
/** Most abandoned nodes remembered. */
const MAX_GIVEN_UP = 1_000;

/** What a dialer uses. */
export interface DialerParts {
  readonly clock: Clock;
  readonly timers: Timers;
  /** Opens a session. @throws when none comes of it */
  dial(node: NodeUrl): Promise<void>;
  /** Whether a node is missing now. @param isFound - whether discovery found it */
  isWanted(node: NodeUrl, isFound: boolean): boolean;
}

interface Entry {
  readonly node: NodeUrl;
  /** Whether discovery found it; else an operator named it. */
  readonly isFound: boolean;
  /** Failed attempts since the last session. */
  failures: number;
  isDialling: boolean;
  cancel: Cancel | undefined;
}

/** Keeps connections to static nodes, and to discovered ones while they are alive. */
export class Dialer {
  readonly #parts: DialerParts;
  readonly #entries = new Map<string, Entry>();
  /** Discovered nodes not to be dialled before a time. */
  readonly #givenUp = new Map<string, number>();
  #dialling = 0;
  #isClosed = false;

  constructor(parts: DialerParts) {
    this.#parts = parts;
  }

  /** Whether an operator named a node. */
  has(id: Uint8Array): boolean {
    return this.#entries.get(bytesToHex(id))?.isFound === false;
  }

  /** Found nodes of a type that are dialled or connected. */
  found(type: number): number {
    let count = 0;
    for (const { node, isFound } of this.#entries.values()) if (isFound && node.type === type) count++;
    return count;
  }

  /** Starts dialling a discovered node, unless it is being dialled or has failed recently. */
  addFound(node: NodeUrl): void {
    const key = bytesToHex(node.id);
    if (this.#isClosed || this.#entries.has(key)) return;
    if ((this.#givenUp.get(key) ?? 0) > this.#parts.clock.elapsed()) return;
    const entry = { node, isFound: true, failures: 0, isDialling: false, cancel: undefined };
    this.#entries.set(key, entry);
    this.#later(entry, 0);
  }

  /** Starts dialling a node; one that was added before is dialled at once. */
  add(node: NodeUrl): void {
    const key = bytesToHex(node.id);
    this.#entries.get(key)?.cancel?.();
    const entry = { node, isFound: false, failures: 0, isDialling: false, cancel: undefined };
    this.#entries.set(key, entry);
    this.#later(entry, 0);
  }

  remove(id: Uint8Array): void {
    const key = bytesToHex(id);
    this.#entries.get(key)?.cancel?.();
    this.#entries.delete(key);
  }

  /** Called when a session is over, whichever side opened it. */
  ended(id: Uint8Array): void {
    const entry = this.#entries.get(bytesToHex(id));
    if (entry !== undefined && !entry.isDialling) this.#later(entry, RETRY_MS);
  }

  close(): void {
    this.#isClosed = true;
    for (const { cancel } of this.#entries.values()) cancel?.();
    this.#entries.clear();
  }

  #later(entry: Entry, delayMs: number): void {
    entry.cancel?.();
    if (this.#isClosed) return;
    entry.cancel = this.#parts.timers.schedule(delayMs, () => {
      entry.cancel = undefined;
      if (this.#dialling >= MAX_DIALLING) this.#later(entry, RETRY_MS);
      else void this.#try(entry);
    });
  }

  async #try(entry: Entry): Promise<void> {
    if (!this.#parts.isWanted(entry.node, entry.isFound)) {
      this.#later(entry, MAX_RETRY_MS); // connected already, or not to be dialled for a while
      return;
    }
    entry.isDialling = true;
    this.#dialling++;
    const failed = await this.#parts.dial(entry.node).then(
      () => false,
      () => true,
    );
    this.#dialling--;
    entry.isDialling = false;
    entry.failures = failed ? entry.failures + 1 : 0;
    const isCurrent = this.#entries.get(bytesToHex(entry.node.id)) === entry;
    if (isCurrent && entry.isFound && entry.failures >= MAX_TRIES_OF_FOUND) this.#giveUp(entry.node);
    else if (isCurrent)
      this.#later(entry, Math.min(MAX_RETRY_MS, RETRY_MS * Math.max(1, Math.ceil(entry.failures / 3))));
  }
  #giveUp({ id }: NodeUrl): void {
    const key = bytesToHex(id);
    this.#entries.delete(key);
    this.#givenUp.delete(key);
    if (this.#givenUp.size >= MAX_GIVEN_UP) this.#givenUp.delete(this.#givenUp.keys().next().value as string);
    this.#givenUp.set(key, this.#parts.clock.elapsed() + GIVEN_UP_MS);
  }
}
