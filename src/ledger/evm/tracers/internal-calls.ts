import type { StepView } from "../evm.ts";
import { Op } from "../tables/op.ts";
import { stackNumber } from "./stack-number.ts";

/** Maximum depth of a return address on the stack: below the arguments, of which at maxDepth 16 are reachable. */
const MAX_ARGUMENTS = 17;
/** Maximum nesting of internal calls. */
const MAX_DEPTH = 256;
/** Number of last jumps kept. */
const MAX_JUMPS = 16;

/**
 * Reconstructs the internal function calls of a contract from its jumps: one that leaves its return address, the position
 * after it, on the stack is a call, and one to such an address is a return.
 */
export class InternalCalls {
  readonly #calls: number[] = [];
  readonly #jumps: number[] = [];
  #at: number | undefined;

  /** Program counters of the calls that have not returned, outermost first, and of the current step; empty before the first step. */
  get positions(): readonly number[] {
    return this.#at === undefined ? [] : [...this.#calls, this.#at];
  }

  /** Program counters of the last jumps, oldest first. */
  get jumps(): readonly number[] {
    return this.#jumps;
  }

  /** Called before each step of the frame. */
  onStep(view: StepView): void {
    this.#at = view.pc;
    if (view.op !== Op.jump && view.op !== Op.jumpI) return;
    if (this.#jumps.length === MAX_JUMPS) this.#jumps.shift();
    this.#jumps.push(view.pc);
    if (view.op === Op.jumpI || view.height === 0) return;
    const target = stackNumber(view, 0);
    const returned = this.#calls.findLastIndex((position) => position + 1 === target);
    if (returned >= 0) this.#calls.length = returned;
    else if (pushesReturnAddress(view) && this.#calls.length < MAX_DEPTH) this.#calls.push(view.pc);
  }
}

function pushesReturnAddress(view: StepView): boolean {
  const maxDepth = Math.min(view.height - 1, MAX_ARGUMENTS);
  for (let depth = 1; depth <= maxDepth; depth++) if (stackNumber(view, depth) === view.pc + 1) return true;
  return false;
}
