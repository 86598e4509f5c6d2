import type { Cancel, Clock, Timers } from "../../../platform/runtime/runtime.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import type { NodeUrl } from "../node-url.ts";

/** Initial delay between dial attempts. */
const RETRY_MS = 3_000;
/** Maximum delay after failed attempts. */
const MAX_RETRY_MS = 30_000;
/** Maximum concurrent dials. */
const MAX_DIALLING = 16;

/** A discovered node is abandoned after this many failed attempts, and not redialled for a while. */
const MAX_FOUND_ATTEMPTS = 4;
const ABANDONED_MS = 300_000;
/** Maximum abandoned nodes remembered. */
const MAX_ABANDONED = 1_000;

/** Dependencies of a dialer. */
export interface DialerParts {
  readonly clock: Clock;
  readonly timers: Timers;
  /** Opens a session. @throws if that fails */
  dial(node: NodeUrl): Promise<void>;
  /** Whether to dial a node now. @param isFound - whether it was discovered */
  isWanted(node: NodeUrl, isFound: boolean): boolean;
}

interface DialledNode {
  readonly node: NodeUrl;
  /** Whether it was discovered; otherwise it is static. */
  readonly isFound: boolean;
  /** Failed attempts since the last session. */
  failures: number;
  isDialling: boolean;
  cancel: Cancel | undefined;
}

/** Maintains connections to static nodes, and to discovered ones while they are alive. */
export class Dialer {
  readonly #parts: DialerParts;
  readonly #entries = new Map<string, DialledNode>();
  /** Discovered nodes that must not be dialled before a time. */
  readonly #abandoned = new Map<string, number>();
  #dialling = 0;
  #isClosed = false;

  constructor(parts: DialerParts) {
    this.#parts = parts;
  }

  /** Whether a node is static. */
  has(id: Uint8Array): boolean {
    return this.#entries.get(bytesToHex(id))?.isFound === false;
  }

  /** Number of discovered nodes of a type that are dialled or connected. */
  found(type: number): number {
    let count = 0;
    for (const { node, isFound } of this.#entries.values()) if (isFound && node.type === type) count++;
    return count;
  }

  /** Starts dialling a discovered node, unless it is already managed or was abandoned recently. */
  addFound(node: NodeUrl): void {
    const key = bytesToHex(node.id);
    if (this.#isClosed || this.#entries.has(key)) return;
    if ((this.#abandoned.get(key) ?? 0) > this.#parts.clock.elapsed()) return;
    const entry = { node, isFound: true, failures: 0, isDialling: false, cancel: undefined };
    this.#entries.set(key, entry);
    this.#schedule(entry, 0);
  }

  /** Adds a static node; one that was added before is dialled immediately. */
  add(node: NodeUrl): void {
    const key = bytesToHex(node.id);
    this.#entries.get(key)?.cancel?.();
    const entry = { node, isFound: false, failures: 0, isDialling: false, cancel: undefined };
    this.#entries.set(key, entry);
    this.#schedule(entry, 0);
  }

  remove(id: Uint8Array): void {
    const key = bytesToHex(id);
    this.#entries.get(key)?.cancel?.();
    this.#entries.delete(key);
  }

  /** Called when a session has ended, whichever side opened it. */
  ended(id: Uint8Array): void {
    const entry = this.#entries.get(bytesToHex(id));
    if (entry !== undefined && !entry.isDialling) this.#schedule(entry, RETRY_MS);
  }

  close(): void {
    this.#isClosed = true;
    for (const { cancel } of this.#entries.values()) cancel?.();
    this.#entries.clear();
  }

  #schedule(entry: DialledNode, delayMs: number): void {
    entry.cancel?.();
    if (this.#isClosed) return;
    entry.cancel = this.#parts.timers.schedule(delayMs, () => {
      entry.cancel = undefined;
      if (this.#dialling >= MAX_DIALLING) this.#schedule(entry, RETRY_MS);
      else void this.#attempt(entry);
    });
  }

  async #attempt(entry: DialledNode): Promise<void> {
    if (!this.#parts.isWanted(entry.node, entry.isFound)) {
      this.#schedule(entry, MAX_RETRY_MS); // already connected, or banned
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
    if (isCurrent && entry.isFound && entry.failures >= MAX_FOUND_ATTEMPTS) this.#abandon(entry.node);
    else if (isCurrent)
      this.#schedule(entry, Math.min(MAX_RETRY_MS, RETRY_MS * Math.max(1, Math.ceil(entry.failures / 3))));
  }
  #abandon({ id }: NodeUrl): void {
    const key = bytesToHex(id);
    this.#entries.delete(key);
    this.#abandoned.delete(key);
    if (this.#abandoned.size >= MAX_ABANDONED)
      this.#abandoned.delete(this.#abandoned.keys().next().value as string);
    this.#abandoned.set(key, this.#parts.clock.elapsed() + ABANDONED_MS);
  }
}
