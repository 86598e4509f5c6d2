import { op } from "../../../../protocol/wasm/code.ts";
import { COMPUTATION_LEFT, EXIT_STEP, FRAME_GAS, FRAME_MEMORY_SIZE, FRAME_PC, FRAME_SP } from "../layout.ts";
import { COMPUTATION, EXIT, FRAME, GAS, MEMORY_SIZE, type PartWriter } from "./part-writer.ts";
import type { VirtualStack } from "./virtual-stack.ts";

/** An opcode to compile, and its context. */
export interface Place {
  readonly writer: PartWriter;
  readonly stack: VirtualStack;
  readonly opcode: number;
  readonly pc: number;
  readonly pops: number;
  readonly pushes: number;
}

/**
 * Emits a call of the interpreter for the opcode, whose operands are in memory, and leaves the part unless the block continues.
 * Allocates no limbs, so that it may be in a branch.
 */
export function writeStep({ writer, stack, pc }: Place): void {
  writeStepExit({ writer, stack, pc });
  writer.tee(EXIT).i32(EXIT_STEP).raw(op.i32NotEqual);
  writer.if();
  writer.get(EXIT).return();
  writer.end();
  writer.get(FRAME).load64(FRAME_GAS).set(GAS);
  writer.get(FRAME).load32(FRAME_MEMORY_SIZE).set(MEMORY_SIZE);
}

/** Emits a call of the interpreter for the opcode and leaves its exit on the stack; the state is then in the frame record. */
export function writeStepExit({ writer, stack, pc }: Pick<Place, "writer" | "stack" | "pc">): void {
  writer.storeField(FRAME_PC, pc);
  writer.get(FRAME);
  stack.address(-1);
  writer.store32(FRAME_SP);
  writer.get(FRAME).get(GAS).store64(FRAME_GAS);
  writer.i32(COMPUTATION_LEFT).get(COMPUTATION).store64(0);
  writer.get(FRAME).callRuntime("step");
}
