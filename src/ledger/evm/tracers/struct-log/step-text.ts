import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import type { PaidCost, StepView } from "../../evm.ts";
import type { TextChunks } from "./text-chunks.ts";
import { listSize, WORD_TEXT, WordTexts } from "./word-texts.ts";
import { SLOT_TEXT, WrittenSlots } from "./written-slots.ts";

/** What a step leaves out. */
export interface StepTextOptions {
  readonly disableMemory?: boolean | undefined;
  readonly disableStack?: boolean | undefined;
  readonly disableStorage?: boolean | undefined;
}

/** Characters of a step without stack, memory and storage. */
const STEP_TEXT = 250;

const MSTORE = 0x52;
const MSTORE8 = 0x53;
const SSTORE = 0x55;
/** Where opcodes that write more than a word into memory have its offset, counted from the top of the stack. */
const WRITES_AT: Readonly<Record<number, number>> = {
  55: 0,
  57: 0,
  60: 1,
  62: 0,
  94: 0,
  241: 5,
  242: 5,
  244: 4,
  250: 4,
};

/** What is kept of an open frame. */
interface FrameText {
  readonly stack: WordTexts;
  readonly memory: WordTexts;
  slots: WrittenSlots;
  /** What the last step of the frame cost in computation. */
  computation: number;
}

/** Writes steps as the reference's JSON, straight out of linear memory. */
export class StepText {
  readonly #options: StepTextOptions;
  readonly #frames: FrameText[] = [];
  readonly #contracts = new Map<string, WrittenSlots>();
  #depth = 0;

  constructor(options: StepTextOptions) {
    this.#options = options;
  }

  /** Reads what the step finds. */
  before(view: StepView): void {
    const { depth, bytes } = view;
    if (depth > this.#depth) this.#open(view);
    this.#depth = depth;
    const { stack, memory } = this.#frame(depth);
    if (!this.#options.disableStack || view.op === SSTORE) stack.readStack(bytes, view.stackAt, view.height);
    if (!this.#options.disableMemory) memory.readMemory(bytes, view.memoryAt, view.memorySize >>> 5);
  }

  /** Most characters of the step. */
  sizeOf({ depth, height, memorySize }: StepView): number {
    const { disableStack, disableMemory, disableStorage } = this.#options;
    const words = (disableStack ? 0 : height) + (disableMemory ? 0 : memorySize >>> 5);
    const slots = disableStorage ? 0 : this.#frame(depth).slots.count + 1;
    return STEP_TEXT + words * WORD_TEXT + slots * SLOT_TEXT;
  }

  /** Writes the step; there is room for it. */
  after(view: StepView, cost: PaidCost, out: TextChunks): void {
    const frame = this.#frame(view.depth);
    const { disableStack, disableMemory, disableStorage } = this.#options;
    const { height, op } = view;
    if (op === SSTORE && height > 1) frame.slots.write(frame.stack.bytes, height - 1, height - 2);
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
    frame.stack.cut(isDup(op) ? height : Math.max(0, height - view.pops));
    if (!disableMemory) renewMemory(frame.memory, view);
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
    frame.stack.cut(0);
    frame.memory.cut(0);
    frame.slots = slots;
    frame.computation = 0;
  }
}

/** DUP reads what it counts among its operands, and leaves it. */
function isDup(op: number): boolean {
  return op >= 0x80 && op <= 0x8f;
}

function writeHead({ pc, opName, gas, depth }: StepView, cost: PaidCost, out: TextChunks): void {
  out.put('{"pc":');
  out.number(pc);
  out.put(',"op":"');
  out.put(opName);
  out.put('","gas":');
  out.number(gas);
  out.put(',"gasCost":');
  out.number(cost.gas);
  out.put(',"depth":');
  out.number(depth);
  // The reference marshals its error value, which has no members.
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

/** Where an opcode fails before its costs are looked up, the reference shows the cost of the step before in that call. */
function shownComputation(frame: FrameText, { computation, error }: PaidCost): number {
  const isUnknown = error !== undefined && /^(stack |invalid opcode)/.test(error);
  if (!isUnknown) frame.computation = computation;
  return frame.computation;
}

/** Reads again what the step has written into memory, or forgets it where it is written later. */
function renewMemory(memory: WordTexts, view: StepView): void {
  const { op, bytes, stackAt, height, memoryAt } = view;
  if (op === MSTORE || op === MSTORE8) {
    const offset = smallWord(bytes, stackAt + 32 * (height - 1));
    memory.renewMemory(bytes, memoryAt, offset >>> 5);
    if (op === MSTORE) memory.renewMemory(bytes, memoryAt, (offset + 31) >>> 5);
    return;
  }
  const depth = WRITES_AT[op];
  if (depth !== undefined) memory.cut(smallWord(bytes, stackAt + 32 * (height - 1 - depth)) >>> 5);
}

/** The lowest 32 bits of a word of the stack: an offset into memory where memory was written, anything where not. */
function smallWord(bytes: Uint8Array, at: number): number {
  const [a = 0, b = 0, c = 0, d = 0] = bytes.subarray(at, at + 4);
  return (a | (b << 8) | (c << 16) | (d << 24)) >>> 0;
}
