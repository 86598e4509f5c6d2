import { delegationTarget } from "../../../../protocol/account/delegation.ts";
import type { Address } from "../../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import type { StateJournal } from "../../../state/journal/journal-types.ts";
import type { PaidCost, StepView, StepWatcher, Tracer } from "../../evm.ts";
import { isReservedAddress } from "../../precompiles/index.ts";
import { Op } from "../../tables/op.ts";
import { TracerError } from "../errors.ts";
import { type MemoryRegion, memoryHex, memoryOf, quantityAt } from "./step-operands.ts";

type Enter = Parameters<NonNullable<Tracer["enter"]>>[0];
type Exit = Parameters<NonNullable<Tracer["exit"]>>[0];

/** Maximum length of a `vmTrace`, characters. */
export const MAX_CHARACTERS = 32_000_000;
/** The trace if no code ran. */
const EMPTY_TRACE = '{"code":"0x","ops":[]}';

/** A step until its effect is known. */
interface OpenStep {
  readonly pops: number;
  readonly height: number;
  readonly memory: MemoryRegion | undefined;
  readonly store: string;
  gasLeft: number;
  isFailed: boolean;
  hasCalled: boolean;
}

/** A frame that runs code; `last` is its current step. */
interface OpenFrame {
  last: OpenStep | undefined;
  count: number;
}

/**
 * Every step of a transaction as OpenEthereum's `vmTrace`: cost, program counter, and its effect (`ex`; null if it failed):
 * the words pushed, the memory and the slot written, and the gas left (`used`); `sub` is the trace of a call or creation,
 * null for precompiled contracts. As in Erigon, `op` is the name of the opcode. The text is written during execution.
 * @throws from its hooks TracerError `TRACE_TOO_LARGE`
 */
export class VmTrace implements Tracer {
  readonly #state: StateJournal;
  /** Undefined for frames without steps: precompiled contracts, SELFDESTRUCT. */
  readonly #frames: (OpenFrame | undefined)[] = [];
  readonly #parts: string[] = [];
  #characters = 0;

  constructor(state: StateJournal) {
    this.#state = state;
  }

  /** The trace, once the transaction has ended. */
  get text(): string {
    return this.#parts.length === 0 ? EMPTY_TRACE : this.#parts.join("");
  }

  enter({ kind, to, input }: Enter): void {
    const creates = kind === "CREATE" || kind === "CREATE2";
    if (kind === "SELFDESTRUCT" || (!creates && isReservedAddress(to))) {
      this.#frames.push(undefined);
      return;
    }
    const step = this.#frames.at(-1)?.last;
    if (step !== undefined) step.hasCalled = true;
    this.#frames.push({ last: undefined, count: 0 });
    this.#put(`{"code":"${bytesToHex(creates ? input : this.#codeOf(to))}","ops":[`);
  }

  exit({ outcome }: Exit): void {
    const frame = this.#frames.pop();
    if (frame === undefined) return;
    const { last } = frame;
    const hasEnded = outcome === "success" || outcome === "revert";
    if (last !== undefined) this.#end(last, hasEnded ? effect(last, [], "null", last.gasLeft) : "null");
    this.#put("]}");
  }

  readonly watcher: StepWatcher = {
    before: (view) => this.#before(view),
    after: (view, cost) => this.#after(view, cost),
  };

  #before(view: StepView): void {
    const frame = this.#frames.at(-1);
    if (frame === undefined) return;
    if (frame.last !== undefined) this.#end(frame.last, effectSeen(frame.last, view));
    const isStore = view.op === Op.sstore;
    frame.last = {
      ...{ pops: view.pops, height: view.height, memory: memoryOf(view) },
      store: isStore ? `{"key":"${quantityAt(view, 0)}","val":"${quantityAt(view, 1)}"}` : "null",
      ...{ gasLeft: view.gas, isFailed: false, hasCalled: false },
    };
  }

  #after(view: StepView, { gas, error }: PaidCost): void {
    const frame = this.#frames.at(-1);
    if (frame?.last === undefined) return;
    frame.last.gasLeft = view.gas - gas;
    frame.last.isFailed = error !== undefined;
    const comma = frame.count++ > 0 ? "," : "";
    this.#put(`${comma}{"cost":${gas},"pc":${view.pc},"op":"${view.opName}","sub":`);
  }

  #end(step: OpenStep, ex: string): void {
    this.#put(`${step.hasCalled ? "" : "null"},"ex":${step.isFailed ? "null" : ex}}`);
  }

  #codeOf(address: Address): Uint8Array {
    const code = this.#state.code(address);
    const target = delegationTarget(code);
    return target === undefined ? code : this.#state.code(target);
  }

  #put(text: string): void {
    this.#characters += text.length;
    if (this.#characters > MAX_CHARACTERS)
      throw new TracerError("TRACE_TOO_LARGE", `the vmTrace is larger than ${MAX_CHARACTERS} characters`);
    this.#parts.push(text);
  }
}

/** The effect of a step, as seen by the next step of its frame. */
function effectSeen(step: OpenStep, view: StepView): string {
  const { memory, height, pops } = step;
  const count = Math.max(0, view.height - (height - pops));
  const pushed = Array.from({ length: count }, (_, i) => `"${quantityAt(view, count - 1 - i)}"`);
  const written = memory && `{"data":"${memoryHex(view, memory)}","off":${memory.offset}}`;
  return effect(step, pushed, written ?? "null", view.gas);
}

function effect({ store }: OpenStep, pushed: readonly string[], memory: string, gasLeft: number): string {
  return `{"mem":${memory},"push":[${pushed.join(",")}],"store":${store},"used":${gasLeft}}`;
}
