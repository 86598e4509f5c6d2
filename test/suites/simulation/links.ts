import type { MachineMessage } from "../../../src/network/consensus/istanbul/machine/types.ts";
import type { Random } from "../fuzz-rpc/random.ts";

/** Minimum latency of a message, in milliseconds. */
const MIN_MS = 1;
/** Maximum latency without faults. */
const USUAL_MS = 40;

/** Links between all validators, each direction separately: messages are delayed, reordered, lost or duplicated. */
export class Links {
  readonly #random: Random;
  readonly #size: number;
  readonly #cut: Uint8Array;
  #loss = 0;
  #muffled: MachineMessage["kind"] | undefined;
  #muffling = 0;
  #doubling = 0;
  #longestMs = USUAL_MS;

  constructor(size: number, random: Random) {
    this.#size = size;
    this.#random = random;
    this.#cut = new Uint8Array(size * size);
  }

  /** Ends all faults. */
  heal(): void {
    this.#cut.fill(0);
    this.#loss = 0;
    this.#muffled = undefined;
    this.#doubling = 0;
    this.#longestMs = USUAL_MS;
  }

  /** Cuts one direction of a link. */
  cut(from: number, to: number): void {
    this.#cut[from * this.#size + to] = 1;
  }

  /** Share of messages that are lost. */
  lose(share: number): void {
    this.#loss = share;
  }

  /** Share of messages of one kind that are lost. */
  muffle(kind: MachineMessage["kind"], share: number): void {
    this.#muffled = kind;
    this.#muffling = share;
  }

  /** Share of messages that are duplicated. */
  double(share: number): void {
    this.#doubling = share;
  }

  /** Maximum latency in milliseconds. */
  delay(longestMs: number): void {
    this.#longestMs = longestMs;
  }

  /** Whether a direction of a link is open. */
  connects(from: number, to: number): boolean {
    return this.#cut[from * this.#size + to] === 0;
  }

  /** Latency of a message or block sent now, in milliseconds; undefined if it is lost. */
  travel(from: number, to: number, kind?: MachineMessage["kind"]): number | undefined {
    if (!this.connects(from, to)) return undefined;
    const loss = kind !== undefined && kind === this.#muffled ? this.#muffling : this.#loss;
    if (loss > 0 && this.#random.chance(loss)) return undefined;
    return MIN_MS + this.#random.next() * this.#longestMs;
  }

  /** Whether a message sent now is duplicated. */
  doubles(): boolean {
    return this.#doubling > 0 && this.#random.chance(this.#doubling);
  }
}
