import { safe } from "./paint.ts";

/** Maximum methods named on one line. */
const MAX_NAMES = 8;
/** Maximum length of a method's name, in characters. */
const MAX_NAME_LENGTH = 60;

/** Repeated events folded into one line: `eth_chainId, eth_blockNumber ×240, block 7 to 9 empty`. */
export class FoldedLine {
  readonly #counts = new Map<string, number>();
  #emptyBlocks: { first: bigint; last: bigint } | undefined;

  get isEmpty(): boolean {
    return this.#counts.size === 0 && this.#emptyBlocks === undefined;
  }

  /** Adds a call. @returns false if the line is full */
  add(method: string): boolean {
    const count = this.#counts.get(method);
    if (count === undefined && this.#counts.size === MAX_NAMES) return false;
    this.#counts.set(method, (count ?? 0) + 1);
    return true;
  }

  /** Adds a block without transactions. @returns false if it does not follow the blocks of the line */
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
      const name = safe(method, MAX_NAME_LENGTH);
      return count === 1 ? name : `${name} ×${count}`;
    });
    if (this.#emptyBlocks !== undefined) {
      const { first, last } = this.#emptyBlocks;
      parts.push(first === last ? `empty block ${first}` : `empty blocks ${first} to ${last}`);
    }
    return parts.join(", ");
  }
}
