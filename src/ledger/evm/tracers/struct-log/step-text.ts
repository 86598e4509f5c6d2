import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import type { PaidCost, StepView } from "../../evm.ts";
import { Op } from "../../tables/op.ts";
import { stackNumber } from "../stack-number.ts";
import type { TextChunks } from "./text-chunks.ts";
import { listSize, WORD_TEXT, WordTexts } from "./word-texts.ts";
import { SLOT_TEXT, WrittenSlots } from "./written-slots.ts";

/** Members to omit from steps. */
export interface StepTextOptions {
  readonly disableMemory?: boolean | undefined;
  readonly disableStack?: boolean | undefined;
  readonly disableStorage?: boolean | undefined;
}

/** Maximum length of a step without stack, memory and storage, characters. */
const STEP_TEXT = 250;

/** Cached texts of an open frame. */
interface FrameText {
  readonly stack: WordTexts;
  readonly memory: WordTexts;
  slots: WrittenSlots;
  /** Computation cost of the last step of the frame. */
  computation: number;
}

/** Writes steps in the JSON of the reference node, directly from linear memory. */
export class StepText {
  readonly #options: StepTextOptions;
  readonly #frames: FrameText[] = [];
  readonly #contracts = new Map<string, WrittenSlots>();
  #depth = 0;

  constructor(options: StepTextOptions) {
    this.#options = options;
  }

  /** Reads stack and memory before the step. */
  before(view: StepView): void {
    const { depth, bytes } = view;
    if (depth > this.#depth) this.#open(view);
    this.#depth = depth;
    const { stack, memory } = this.#frame(depth);
    if (!this.#options.disableStack || view.op === Op.sstore)
      stack.readStack(bytes, view.stackAt, view.height);
    if (!this.#options.disableMemory) memory.readMemory(bytes, view.memoryAt, view.memorySize >>> 5);
  }

  /** Upper bound of the step's length, characters. */
  sizeOf({ depth, height, memorySize }: StepView): number {
    const { disableStack, disableMemory, disableStorage } = this.#options;
    const words = (disableStack ? 0 : height) + (disableMemory ? 0 : memorySize >>> 5);
    const slots = disableStorage ? 0 : this.#frame(depth).slots.count + 1;
    return STEP_TEXT + words * WORD_TEXT + slots * SLOT_TEXT;
  }

  /** Writes the step; `out` must have room for it. */
  after(view: StepView, cost: PaidCost, out: TextChunks): void {
    const frame = this.#frame(view.depth);
    const { disableStack, disableMemory, disableStorage } = this.#options;
    const { height, op } = view;
    if (op === Op.sstore && height > 1) frame.slots.write(frame.stack.bytes, height - 1, height - 2);
    writeHead(view, cost, out);
    if (!disableStack) writeList(',"stack":[', frame.stack, height, out);
    if (!disableMemory) {
      frame.memory.extend(view.memorySize >>> 5);
      writeList(',"memory":[', frame.memory, view.memorySize >>> 5, out);
    }
    if (!disableStorage) writeSlots(frame.slots, out);
    out.put(',"computation":');
    out.number(view.computation);
    out.put(',"computationCost":');
    out.number(shownComputation(frame, cost));
    out.put("}");
    frame.stack.truncate(isDup(op) ? height : Math.max(0, height - view.pops));
    if (!disableMemory) rereadMemory(frame.memory, view);
  }

  #frame(depth: number): FrameText {
    return this.#frames[depth] as FrameText;
  }

  #open({ depth, address }: StepView): void {
    const contract = bytesToHex(address);
    let slots = this.#contracts.get(contract);
    if (slots === undefined) {
      slots = new WrittenSlots();
      this.#contracts.set(contract, slots);
    }
    const frame = this.#frames[depth];
    if (frame === undefined) {
      this.#frames[depth] = { stack: new WordTexts(), memory: new WordTexts(), slots, computation: 0 };
      return;
    }
    frame.stack.truncate(0);
    frame.memory.truncate(0);
    frame.slots = slots;
    frame.computation = 0;
  }
}

/** DUP counts the words down to its operand as popped, but leaves them unchanged. */
function isDup(op: number): boolean {
  return op >= Op.dup1 && op <= Op.dup16;
}

function writeHead({ pc, opName, gas, depth }: StepView, cost: PaidCost, out: TextChunks): void {
  out.put('{"pc":');
  out.number(pc);
  out.put(',"op":"');
  out.put(opName);
  out.put('","gas":');
  out.number(gas);
  out.put(',"gasCost":');
  if (cost.exactGas === undefined) out.number(cost.gas);
  else out.put(String(cost.exactGas));
  out.put(',"depth":');
  out.number(depth);
  // The reference node marshals its error value, which has no exported fields.
  if (cost.error !== undefined) out.put(',"error":{}');
}

function writeList(name: string, words: WordTexts, count: number, out: TextChunks): void {
  out.put(name);
  out.copy(words.bytes, listSize(count));
  out.put("]");
}

function writeSlots({ bytes, count }: WrittenSlots, out: TextChunks): void {
  out.put(',"storage":{');
  if (count > 0) out.copy(bytes, count * SLOT_TEXT - 1);
  out.put("}");
}

/** If an opcode fails before its cost is looked up, the reference node shows the cost of the previous step in that call. */
function shownComputation(frame: FrameText, { computation, error }: PaidCost): number {
  const isUnknown = error !== undefined && /^(stack |invalid opcode)/.test(error);
  if (!isUnknown) frame.computation = computation;
  return frame.computation;
}

/** Rereads the few words that the step has written, or discards the text of more, as those are written later. */
function rereadMemory(memory: WordTexts, view: StepView): void {
  const { memoryOperands, bytes, memoryAt } = view;
  if (memoryOperands === undefined || memoryOperands.isLoad) return;
  const { size } = memoryOperands;
  // meaningless if the step has failed
  const offset = stackNumber(view, memoryOperands.offset);
  const first = offset >>> 5;
  if (typeof size === "number") {
    memory.truncate(first);
    return;
  }
  const last = (offset + size.bytes - 1) >>> 5;
  for (let word = first; word <= last; word++) memory.rereadMemory(bytes, memoryAt, word);
}
