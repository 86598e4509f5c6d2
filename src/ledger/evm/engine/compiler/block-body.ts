import { OP_ENDS, OP_POPS, OP_PUSHES } from "../layout.ts";
import { type BasicBlock, type CodeParts, flagsOf, GOES_ON, nextPc, pushedBy } from "./blocks.ts";
import { constantWord } from "./locals.ts";
import { writeOperation } from "./operations.ts";
import type { PartWriter } from "./part-writer.ts";
import type { Place } from "./step.ts";
import type { VirtualStack } from "./virtual-stack.ts";

/**
 * Emits the opcodes of a block that is checked and charged.
 * @returns the jump, or the opcode that leaves the frame, at the end of the block, which the caller must emit
 */
export function writeBody(
  { code, table }: CodeParts,
  block: BasicBlock,
  writer: PartWriter,
  stack: VirtualStack,
): Place | undefined {
  for (let pc = block.start; pc < block.end; ) {
    const opcode = code[pc] ?? 0;
    const pushed = pushedBy(code, pc);
    if (pushed !== undefined) stack.push(constantWord(pushed));
    else {
      const pops = table.getUint16(opcode * 16 + OP_POPS, true);
      const pushes = table.getUint16(opcode * 16 + OP_PUSHES, true);
      const place = { writer, stack, opcode, pc, pops, pushes };
      if (flagsOf(table, opcode) & OP_ENDS && !GOES_ON.has(opcode)) return place;
      writeOperation(place);
    }
    pc = nextPc(pc, opcode);
  }
  return undefined;
}
