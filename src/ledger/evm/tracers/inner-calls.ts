import type { StepView } from "../evm.ts";

const [JUMP, JUMPI] = [0x56, 0x57];
/** Where on the stack compilers leave the address to return to: below the arguments, of which at most 16 can be reached. */
const MAX_ARGUMENTS = 17;
/** Functions in each other that are followed. */
const MAX_DEPTH = 256;
/** Jumps that are remembered. */
const MAX_JUMPS = 16;
const WORD = 32;

/**
 * Follows the calls of functions inside of one contract. The machine knows only jumps: one that leaves the place behind it on
 * the stack calls, one to such a place returns.
 */
export class InnerCalls {
  readonly #calls: number[] = [];
  readonly #jumps: number[] = [];
  #at: number | undefined;

  /** Places of the calls that have not returned, from the outermost on, and of the step under way; empty before the first. */
  get places(): readonly number[] {
    return this.#at === undefined ? [] : [...this.#calls, this.#at];
  }

  /** Places of the last jumps, the oldest first. */
  get jumps(): readonly number[] {
    return this.#jumps;
  }

  /** Called before each step of the frame. */
  follow(view: StepView): void {
    this.#at = view.pc;
    if (view.op !== JUMP && view.op !== JUMPI) return;
    if (this.#jumps.length === MAX_JUMPS) this.#jumps.shift();
    this.#jumps.push(view.pc);
    if (view.op === JUMPI || view.height === 0) return;
    const target = wordAt(view, 0);
    const returned = this.#calls.findLastIndex((place) => place + 1 === target);
    if (returned >= 0) this.#calls.length = returned;
    else if (leavesReturn(view) && this.#calls.length < MAX_DEPTH) this.#calls.push(view.pc);
  }
}

function leavesReturn(view: StepView): boolean {
  const most = Math.min(view.height - 1, MAX_ARGUMENTS);
  for (let depth = 1; depth <= most; depth++) if (wordAt(view, depth) === view.pc + 1) return true;
  return false;
}

/** A word of the stack as far as it is a place in code: undefined where it is larger. @param depth - 0 = top */
function wordAt({ bytes, stackAt, height }: StepView, depth: number): number | undefined {
  const start = stackAt + (height - 1 - depth) * WORD;
  for (let at = start + 4; at < start + WORD; at++) if (bytes[at] !== 0) return undefined;
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(start, true);
}
