import { safe } from "./paint.ts";

/** Most methods named on one line. */
const MOST_NAMES = 8;
/** Longest name of a method, in characters. */
const MOST_NAME = 60;

/** Repeated events folded into one line: `eth_chainId, eth_blockNumber ×240, block 7 to 9 empty`. */
export class FoldedLine {
  readonly #counts = new Map<string, number>();
  #emptyBlocks: { first: bigint; last: bigint } | undefined;

  get isEmpty(): boolean {
    return this.#counts.size === 0 && this.#emptyBlocks === undefined;
  }

  /** Adds a call. @returns false where the line is full */
  add(method: string): boolean {
    const count = this.#counts.get(method);
    if (count === undefined && this.#counts.size === MOST_NAMES) return false;
    this.#counts.set(method, (count ?? 0) + 1);
    return true;
  }

  /** Adds a block without transactions. @returns false where it does not follow those of the line */
  addEmptyBlock(number: bigint): boolean {
    if (this.#emptyBlocks === undefined) this.#emptyBlocks = { first: number, last: number };
    else if (this.#emptyBlocks.last + 1n !== number) return false;
    this.#emptyBlocks.last = number;
    return true;
  }

  clear(): void {
    this.#counts.clear();
    this.#emptyBlocks = undefined;
  }

  get text(): string {
    const parts = [...this.#counts].map(([method, count]) => {
      const name = safe(method, MOST_NAME);
      return count === 1 ? name : `${name} ×${count}`;
    });
    if (this.#emptyBlocks !== undefined) {
      const { first, last } = this.#emptyBlocks;
      parts.push(first === last ? `empty block ${first}` : `empty blocks ${first} to ${last}`);
    }
    return parts.join(", ");
  }
}
