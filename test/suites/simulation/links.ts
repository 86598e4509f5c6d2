import type { MachineMessage } from "../../../src/network/consensus/istanbul/machine/types.ts";
import type { Random } from "../fuzz-rpc/random.ts";

/** The shortest way of a message, in milliseconds. */
const MIN_MS = 1;
/** How long a message takes at most while nothing is wrong. */
const USUAL_MS = 40;

/** Links between all validators, each direction on its own: what is said takes its time, overtakes, gets lost or comes twice. */
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

  /** Cuts the way from one to another, not the way back. */
  cut(from: number, to: number): void {
    this.#cut[from * this.#size + to] = 1;
  }

  /** Of what is sent, this share gets lost. */
  lose(share: number): void {
    this.#loss = share;
  }

  /** Of messages of one kind, this share gets lost. */
  muffle(kind: MachineMessage["kind"], share: number): void {
    this.#muffled = kind;
    this.#muffling = share;
  }

  /** Of what is sent, this share comes twice. */
  double(share: number): void {
    this.#doubling = share;
  }

  /** What is sent takes up to so many milliseconds. */
  delay(longestMs: number): void {
    this.#longestMs = longestMs;
  }

  /** Whether anything gets from one to another. */
  connects(from: number, to: number): boolean {
    return this.#cut[from * this.#size + to] === 0;
  }

  /** After how many milliseconds a message, or a block, that is sent now arrives; undefined where it gets lost. */
  travel(from: number, to: number, kind?: MachineMessage["kind"]): number | undefined {
    if (!this.connects(from, to)) return undefined;
    const loss = kind !== undefined && kind === this.#muffled ? this.#muffling : this.#loss;
    if (loss > 0 && this.#random.chance(loss)) return undefined;
    return MIN_MS + this.#random.next() * this.#longestMs;
  }

  /** Whether what is sent now comes a second time. */
  doubles(): boolean {
    return this.#doubling > 0 && this.#random.chance(this.#doubling);
  }
}
