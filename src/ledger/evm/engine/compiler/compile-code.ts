import { concat } from "../../../../protocol/primitives/bytes.ts";
import {
  FUNCTION,
  FUNCTION_REFERENCE,
  I32,
  I64,
  leb,
  MODULE_HEADER,
  op,
  SECTION,
  section,
  text,
  vector,
} from "../../../../protocol/wasm/code.ts";
import { CodeTooLong, CodeWriter } from "../../../../protocol/wasm/code-writer.ts";
import { EXIT_PART, FRAME_BLOCKS, FRAME_GAS, FRAME_PC } from "../layout.ts";
import { type CodeParts, findBlocks, targetBlocks } from "./blocks.ts";
import { findLoops, type Loops } from "./loop-paths.ts";
import { compilePart } from "./part-compiler.ts";
import { PART_TYPE, PROGRAM_TYPE, RUNTIME_FUNCTIONS } from "./runtime.ts";

/** Maximum number of basic blocks of a compiled contract; larger ones are interpreted. */
export const MAX_BLOCKS = 4096;
/** Maximum size of a part, bytes: optimizing compilers take more than linear time for a function. */
export const MAX_PART_BYTES = 256 * 1024;
/** Maximum size of all parts, bytes. */
export const MAX_MODULE_BYTES = 1536 * 1024;
/** Binary logarithm of the blocks per part: compile times are constant from 4 to 64 blocks, and rise beyond. */
const PART_BITS = 6;

/** Compiles every block individually. */
const NO_LOOPS: Loops = new Map();

/** Export name of the program in a compiled module. */
export const PROGRAM = "program";

/**
 * Compiles bytecode to a WebAssembly module whose export `program(frame, quantum)` runs a frame like `runFast` of the interpreter: it
 * begins at the frame's pc, the start of a block, and returns the same exits.
 * @param table - the opcode table of the rule set, laid out as in linear memory
 * @returns undefined if there are too many blocks or the module becomes too large
 */
export function compileCode(code: Uint8Array, table: Uint8Array): Uint8Array | undefined {
  const view = new DataView(table.buffer, table.byteOffset, table.byteLength);
  const blocks = findBlocks(code, view, MAX_BLOCKS);
  if (blocks === undefined) return undefined;
  const parts: CodeParts = {
    code,
    table: view,
    blocks,
    targets: targetBlocks(code, blocks),
    partBits: PART_BITS,
  };
  const loops = findLoops(parts);
  const bodies = bodiesOf(parts, loops) ?? (loops.size > 0 ? bodiesOf(parts, NO_LOOPS) : undefined);
  return bodies && moduleOf(bodies);
}

/** Compiles each part; undefined if the module becomes too large. */
function bodiesOf(parts: CodeParts, loops: Loops): readonly Uint8Array[] | undefined {
  try {
    return writeBodies(parts, loops);
  } catch (error) {
    if (error instanceof CodeTooLong) return undefined;
    throw error;
  }
}

function writeBodies(parts: CodeParts, loops: Loops): readonly Uint8Array[] {
  const count = ((parts.blocks.length - 1) >> parts.partBits) + 1;
  const bodies: Uint8Array[] = [];
  let left = MAX_MODULE_BYTES;
  for (let part = 0; part < count; part++) {
    const body = compilePart(parts, loops, part, Math.min(left, MAX_PART_BYTES));
    left -= body.length;
    bodies.push(body);
  }
  return bodies;
}

/** The program: finds the block at the frame's pc and calls parts until one returns an exit of the interpreter. */
function programBody(parts: number): readonly number[] {
  const [FRAME, QUANTUM, BLOCK] = [0, 1, 2];
  const YIELD_AT = 3;
  const writer = new CodeWriter(1024);
  writer.get(FRAME).load64(FRAME_GAS).get(QUANTUM).raw(op.i64ExtendUnsigned, op.i64Sub).set(YIELD_AT);
  writer.get(FRAME).load32(FRAME_BLOCKS);
  writer.get(FRAME).load32(FRAME_PC).i32(1).raw(op.i32ShiftLeft, op.i32Add).load16(8).set(BLOCK);
  const again = writer.loop();
  writer.get(FRAME).get(BLOCK).get(YIELD_AT);
  if (parts === 1) writer.call(RUNTIME_FUNCTIONS.length + 1);
  else {
    writer.get(BLOCK).i32(PART_BITS).raw(op.i32ShiftRightUnsigned);
    writer.raw(op.callIndirect, RUNTIME_FUNCTIONS.length, 0);
  }
  writer.i32(EXIT_PART).raw(op.i32Sub).tee(BLOCK).i32(0).raw(op.i32GreaterOrEqualSigned);
  writer.branchIf(again);
  writer.end();
  writer.get(BLOCK).i32(EXIT_PART).raw(op.i32Add).end();
  return [...leb(2), ...leb(1), I32, ...leb(1), I64, ...writer.bytes];
}

function typeOf([takes, gives]: readonly [readonly number[], readonly number[]]): number[] {
  return [FUNCTION, ...vector(takes), ...vector(gives)];
}

/** Assembles the module: types, imports and indexes of the runtime functions coincide; the program and the parts follow. */
function moduleOf(bodies: readonly Uint8Array[]): Uint8Array {
  const imports = RUNTIME_FUNCTIONS.length;
  const [partType, programType] = [imports, imports + 1];
  const types = [...RUNTIME_FUNCTIONS.map(([, type]) => type), PART_TYPE, PROGRAM_TYPE];
  const functions = RUNTIME_FUNCTIONS.map(([name], i) => [...text("runtime"), ...text(name), 0, ...leb(i)]);
  const memory = [...text("runtime"), ...text("memory"), 2, 0, ...leb(1)];
  const indexes = bodies.map((_, i) => leb(imports + 1 + i));
  const small = [
    section(SECTION.types, list(types.map(typeOf))),
    section(SECTION.imports, list([...functions, memory])),
    section(SECTION.functions, list([leb(programType), ...bodies.map(() => leb(partType))])),
    section(SECTION.tables, list([[FUNCTION_REFERENCE, 0, ...leb(bodies.length)]])),
    section(SECTION.exports, list([[...text(PROGRAM), 0, ...leb(imports)]])),
    section(
      SECTION.elements,
      list([[0, ...[op.i32Const, 0, op.end], ...leb(bodies.length), ...indexes.flat()]]),
    ),
  ];
  const program = Uint8Array.from(programBody(bodies.length));
  const code = [program, ...bodies].flatMap((body) => [Uint8Array.from(leb(body.length)), body]);
  const count = Uint8Array.from(leb(bodies.length + 1));
  const size = [count, ...code].reduce((sum, piece) => sum + piece.length, 0);
  const header = Uint8Array.from([SECTION.code, ...leb(size)]);
  return concat(
    Uint8Array.from(MODULE_HEADER),
    ...small.map((bytes) => Uint8Array.from(bytes)),
    header,
    count,
    ...code,
  );
}

function list(items: readonly (readonly number[])[]): number[] {
  return [...leb(items.length), ...items.flat()];
}
