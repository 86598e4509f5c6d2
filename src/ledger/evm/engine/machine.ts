import { createMemory, instantiate, type WasmMemory } from "../../../protocol/wasm/web-assembly.ts";
import type { BlockContext, TransactionContext } from "../evm.ts";
import type { Opcode, OpcodeTable } from "../tables/opcodes.ts";
import type { RuleSet } from "../tables/rule-set.ts";
import type { CodeCompiler } from "./compiler/code-compiler.ts";
import { Programs } from "./compiler/programs.ts";
import { type Interpreter, interpreterModule } from "./interpreter/module.ts";
import {
  CODE_ARENA,
  MEMORIES,
  OP_COMPUTATION,
  OP_ENDS,
  OP_FLAGS,
  OP_GAS,
  OP_HOST,
  OP_POPS,
  OP_PUSHES,
  OP_VALID,
  STACKS,
  TABLE_SIZE,
  TABLES,
  TABLES_END,
} from "./layout.ts";
import type { PlacedCode } from "./placed-code.ts";

/** An opcode table in linear memory, with the codes analysed under it. */
interface LoadedRules {
  readonly table: number;
  readonly codes: Map<string, PlacedCode>;
}

const PAGE = 0x10000;
/** Zero bytes behind a code, so that PUSH reads them without a check. */
const CODE_PADDING = 40;
/** The arena is emptied between runs once this part of it is used. */
const ARENA_LIMIT = CODE_ARENA + 0.75 * (STACKS - CODE_ARENA);
/** A machine whose memory grew beyond this is dropped after the run, so that one large call does not cost RAM for ever. */
const KEEP_LIMIT = MEMORIES + 0x2000000;

/**
 * One instance of the interpreter with its memory: opcode tables, analysed code, frames. Serves one run at a time.
 *
 * Runs are synchronous and a process has one EVM, so all of them use the same machine, nested ones aside: a code is analysed once
 * for the process, and once for each worker thread, whose memory is its own.
 */
export class Machine {
  readonly #memory: WasmMemory;
  readonly interpreter: Interpreter;
  #rules: Map<RuleSet, LoadedRules> = new Map();
  #arenaTop = CODE_ARENA;
  readonly #programs: Programs;
  /** Whose constant words lie in the memory. */
  block: BlockContext | undefined;
  transaction: TransactionContext | undefined;
  u8!: Uint8Array;
  u32!: Uint32Array;
  i64!: BigInt64Array;

  /** @param memoryLimit - bytes of all frames, a multiple of 64 KiB; absent: 4 GiB with all else */
  constructor(memoryLimit?: number, compiler?: CodeCompiler) {
    this.#memory = createMemory((MEMORIES + 0x100000) / PAGE, memoryLimit && (MEMORIES + memoryLimit) / PAGE);
    const env = { memory: this.#memory, abort: () => undefined };
    this.interpreter = instantiate<Interpreter>(interpreterModule(), { env });
    this.#programs = new Programs(this.interpreter, this.#memory, compiler);
    this.renewViews();
  }

  /** Views of the memory; growing it empties the old ones, so look again after each call into the module. */
  renewViews(): void {
    if (this.u32?.length > 0) return;
    this.u8 = new Uint8Array(this.#memory.buffer);
    this.u32 = new Uint32Array(this.#memory.buffer);
    this.i64 = new BigInt64Array(this.#memory.buffer);
  }

  /** Makes sure that the memory reaches to `end`. @throws RangeError beyond the limit */
  reserve(end: number): void {
    const missing = end - this.u8.length;
    if (missing <= 0) return;
    this.#memory.grow(Math.ceil(missing / PAGE) + 16);
    this.renewViews();
  }

  /** To be called before a run: empties the code arena when it is nearly full, or the compiled forms take too much. */
  begin(): void {
    if (this.#arenaTop < ARENA_LIMIT && !this.#programs.isFull) return;
    this.#arenaTop = CODE_ARENA;
    for (const { codes } of this.#rules.values()) codes.clear();
    this.#programs.clear();
  }

  /** A code that is in the arena has run for `heat` more: once it is hot it is compiled. */
  warm(code: PlacedCode, table: number, heat: number): void {
    code.heat += heat;
    if (
      code.heat >= this.#programs.threshold &&
      code.heat !== Number.POSITIVE_INFINITY &&
      code.blocks !== 0
    ) {
      this.#programs.request(code, this.u8.slice(table, table + TABLE_SIZE));
    }
  }

  /** Whether the machine may serve another run without holding much memory. */
  get isReusable(): boolean {
    return this.u8.length <= KEEP_LIMIT;
  }

  /** The opcode table of a rule set in linear memory. */
  load(rules: RuleSet): LoadedRules {
    const loaded = this.#rules.get(rules);
    if (loaded) return loaded;
    let table = TABLES + this.#rules.size * TABLE_SIZE;
    if (table >= TABLES_END) {
      this.#rules = new Map();
      table = TABLES;
    }
    this.#writeTable(table, rules.opcodes, rules.expByteGas);
    const fresh = { table, codes: new Map() };
    this.#rules.set(rules, fresh);
    return fresh;
  }

  /** A code in the arena, found by `key` or put there; undefined when the arena is full. */
  cached(rules: LoadedRules, key: string, code: Uint8Array): PlacedCode | undefined {
    const known = rules.codes.get(key);
    if (known) return known;
    if (this.#arenaTop + placedSize(code.length) > STACKS) return undefined;
    const [placed, end] = this.place(this.#arenaTop, rules.table, code);
    this.#arenaTop = end;
    placed.heat = 0;
    rules.codes.set(key, placed);
    return placed;
  }

  /** Writes a code, its jump bitmap and block table from `start` on; returns them and the first free byte, aligned to 32. */
  place(start: number, table: number, code: Uint8Array): [placed: PlacedCode, end: number] {
    const size = code.length;
    this.reserve(start + placedSize(size));
    this.u8.set(code, start);
    this.u8.fill(0, start + size, start + size + CODE_PADDING);
    const jumps = align(start + size + CODE_PADDING);
    const blocks = align(jumps + (size >>> 3) + 1);
    this.interpreter.markJumps(start, size, jumps);
    const used = this.interpreter.analyse(start, size, blocks, table);
    const placed = {
      code: start,
      size,
      jumps,
      blocks: used === 0 ? 0 : blocks,
      program: 0,
      heat: Number.POSITIVE_INFINITY,
    };
    return [placed, align(blocks + used)];
  }

  #writeTable(table: number, opcodes: OpcodeTable, expByteGas: number): void {
    const view = new DataView(this.#memory.buffer);
    for (let opcode = 0; opcode < 256; opcode++) {
      const at = table + opcode * 16;
      const row = opcodes[opcode];
      const unit = opcode === 0x0a ? expByteGas << 8 : 0;
      view.setUint32(at + OP_GAS, row?.gas ?? 0, true);
      view.setUint16(at + OP_POPS, row?.pops ?? 0, true);
      view.setUint16(at + OP_PUSHES, row?.pushes ?? 0, true);
      view.setUint32(at + OP_FLAGS, flagsOf(row) | unit, true);
      view.setUint32(at + OP_COMPUTATION, row?.computation ?? 0, true);
    }
  }
}

function flagsOf(row: Opcode | undefined): number {
  if (row === undefined) return OP_ENDS;
  if (row.kind === "inline") return OP_VALID;
  return row.kind === "boundary" ? OP_VALID | OP_ENDS : OP_VALID | OP_ENDS | OP_HOST;
}

/** Upper bound of what `place` writes. */
function placedSize(size: number): number {
  return size * 20 + 512;
}

function align(address: number): number {
  return (address + 31) & ~31;
}
