import { randomFillSync } from "node:crypto";
import { createMemory, instantiate, type WasmMemory } from "../../../protocol/wasm/web-assembly.ts";
import type { BlockContext, TransactionContext } from "../evm.ts";
import { Op } from "../tables/op.ts";
import type { Opcode, OpcodeTable } from "../tables/opcodes.ts";
import type { RuleSet } from "../tables/rule-set.ts";
import type { CodeCompiler } from "./compiler/code-compiler.ts";
import { Programs } from "./compiler/programs.ts";
import { type Interpreter, interpreterModule } from "./interpreter/module.ts";
import {
  CODE_ARENA,
  CODE_BLOCKS,
  CODE_HEAT,
  CODE_JUMPS,
  CODE_PROGRAM,
  CODE_RECORD_SIZE,
  CODE_SIZE,
  CODE_START,
  MEMORIES,
  NEVER_HOT,
  OP_COMPUTATION,
  OP_ENDS,
  OP_FLAGS,
  OP_GAS,
  OP_HOST,
  OP_POPS,
  OP_PUSHES,
  OP_VALID,
  RULE_CLEAR,
  RULE_COLD,
  RULE_NET,
  RULE_RESET,
  RULE_SENTRY,
  RULE_SET,
  RULE_TOUCH,
  RULE_WARM,
  SEED,
  STACKS,
  STORAGE_RULES,
  TABLE_SIZE,
  TABLES,
  TABLES_END,
} from "./layout.ts";
import type { PlacedCode } from "./placed-code.ts";

/** An opcode table in linear memory, with the contracts analysed for it. */
interface LoadedRules {
  readonly table: number;
  readonly codes: Map<string, PlacedCode>;
}

const PAGE = 0x10000;
/** Zero padding after the code, so that PUSH needs no bounds check. */
const CODE_PADDING = 40;
/** The arena is cleared between runs once it is filled up to this address. */
const ARENA_LIMIT = CODE_ARENA + 0.75 * (STACKS - CODE_ARENA);
/** A machine whose memory has grown beyond this is dropped after the run, to free the memory of a large call. */
const KEEP_LIMIT = MEMORIES + 0x2000000;

/**
 * One instance of the interpreter with its memory: opcode tables, analysed code, frames. Serves one run at a time.
 *
 * Runs are synchronous and a thread has one EVM, so all of them use the same machine, except for nested runs: code is
 * analysed once per thread.
 */
export class Machine {
  readonly #memory: WasmMemory;
  readonly interpreter: Interpreter;
  #rules: Map<RuleSet, LoadedRules> = new Map();
  #arenaTop = CODE_ARENA;
  readonly #programs: Programs;
  /** Rule set whose storage rules are in memory. */
  #storageRules: RuleSet | undefined;
  /** Block and transaction whose constant words are in memory. */
  block: BlockContext | undefined;
  transaction: TransactionContext | undefined;
  u8!: Uint8Array;
  u32!: Uint32Array;
  i64!: BigInt64Array;

  /** @param memoryLimit - of all frames, bytes, a multiple of 64 KiB; by default 4 GiB including everything else */
  constructor(memoryLimit?: number, compiler?: CodeCompiler) {
    this.#memory = createMemory((MEMORIES + 0x100000) / PAGE, memoryLimit && (MEMORIES + memoryLimit) / PAGE);
    const env = { memory: this.#memory, abort: () => undefined };
    this.interpreter = instantiate<Interpreter>(interpreterModule(), { env });
    this.#programs = new Programs(this.interpreter, this.#memory, compiler);
    this.renewViews();
    const [low = 0, high = 0] = randomFillSync(new Uint32Array(2));
    this.u32.set([low | 1, high], SEED >>> 2);
  }

  /** Renews the views of the memory if it has grown, which detaches the old ones; to be called after each call of the module. */
  renewViews(): void {
    if (this.u32?.length > 0) return;
    this.u8 = new Uint8Array(this.#memory.buffer);
    this.u32 = new Uint32Array(this.#memory.buffer);
    this.i64 = new BigInt64Array(this.#memory.buffer);
  }

  /** Grows the memory to at least `end`. @throws RangeError beyond the limit */
  reserve(end: number): void {
    const missing = end - this.u8.length;
    if (missing <= 0) return;
    this.#memory.grow(Math.ceil(missing / PAGE) + 16);
    this.renewViews();
  }

  /**
   * Must be called before a run: clears the state of the last one, and the code arena if it is nearly full or there are too many
   * compiled programs.
   * @param usesCache - whether the run keeps its slots, logs and callees in linear memory
   */
  begin(rules: RuleSet, usesCache: boolean): void {
    this.interpreter.beginRun(usesCache ? 1 : 0);
    if (this.#storageRules !== rules) this.#writeStorageRules(rules);
    if (this.#arenaTop < ARENA_LIMIT && !this.#programs.isFull) return;
    this.#arenaTop = CODE_ARENA;
    for (const { codes } of this.#rules.values()) codes.clear();
    this.#programs.clear();
  }

  /** Adds heat to a contract in the arena, which is compiled once it is hot. */
  warm(code: PlacedCode, table: number, heat: number): void {
    const at = (code.record + CODE_HEAT) >>> 2;
    const left = this.u32[at] as number;
    if (left === NEVER_HOT) return;
    if (left > heat) {
      this.u32[at] = left - heat;
      return;
    }
    this.u32[at] = NEVER_HOT;
    if (code.blocks !== 0) this.#programs.request(code, this.u8.slice(table, table + TABLE_SIZE));
  }

  /** Whether the machine is small enough to be kept for another run. */
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

  /** Loads code into the arena, unless it is there under `key`; undefined if the arena is full. */
  cached(rules: LoadedRules, key: string, code: Uint8Array): PlacedCode | undefined {
    const known = rules.codes.get(key);
    if (known) return known;
    if (this.#arenaTop + placedSize(code.length) > STACKS) return undefined;
    const [placed, end] = this.place(this.#arenaTop, rules.table, code);
    this.#arenaTop = end;
    this.u32[(placed.record + CODE_HEAT) >>> 2] = Math.min(this.#programs.threshold, NEVER_HOT);
    rules.codes.set(key, placed);
    return placed;
  }

  /**
   * Writes the code's record, the code, its jump bitmap and block table at `start`, a multiple of 32.
   * @returns the code and the end, aligned to 32
   */
  place(start: number, table: number, code: Uint8Array): [placed: PlacedCode, end: number] {
    const size = code.length;
    this.reserve(start + placedSize(size));
    const at = start + CODE_RECORD_SIZE;
    this.u8.set(code, at);
    this.u8.fill(0, at + size, at + size + CODE_PADDING);
    const jumps = align(at + size + CODE_PADDING);
    const blocks = align(jumps + (size >>> 3) + 1);
    this.interpreter.markJumps(at, size, jumps);
    const used = this.interpreter.analyse(at, size, blocks, table);
    const placed = { record: start, code: at, size, blocks: used === 0 ? 0 : blocks };
    const record = start >>> 2;
    this.u32[record + (CODE_START >>> 2)] = at;
    this.u32[record + (CODE_SIZE >>> 2)] = size;
    this.u32[record + (CODE_JUMPS >>> 2)] = jumps;
    this.u32[record + (CODE_BLOCKS >>> 2)] = placed.blocks;
    this.u32[record + (CODE_PROGRAM >>> 2)] = 0;
    this.u32[record + (CODE_HEAT >>> 2)] = NEVER_HOT;
    return [placed, align(blocks + used)];
  }

  #writeStorageRules(rules: RuleSet): void {
    this.#storageRules = rules;
    const { netMetered, touch, set, reset, clearRefund, sentry } = rules.storage;
    const fields = [
      [RULE_COLD, rules.coldSlot],
      [RULE_WARM, rules.warmSlot],
      [RULE_NET, netMetered ? 1 : 0],
      [RULE_TOUCH, touch],
      [RULE_SET, set],
      [RULE_RESET, reset],
      [RULE_CLEAR, clearRefund],
      [RULE_SENTRY, sentry],
    ] as const;
    for (const [field, value] of fields) this.u32[(STORAGE_RULES + field) >>> 2] = value;
  }

  #writeTable(table: number, opcodes: OpcodeTable, expByteGas: number): void {
    const view = new DataView(this.#memory.buffer);
    for (let opcode = 0; opcode < 256; opcode++) {
      const at = table + opcode * 16;
      const row = opcodes[opcode];
      const unit = opcode === Op.exp ? expByteGas << 8 : 0;
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
  if (row.kind === "inline" || row.kind === "memoryWrite") return OP_VALID;
  return row.kind === "boundary" || row.kind === "gas" ? OP_VALID | OP_ENDS : OP_VALID | OP_ENDS | OP_HOST;
}

/** Upper bound of the bytes written by `place`. */
function placedSize(size: number): number {
  return size * 20 + 512;
}

function align(address: number): number {
  return (address + 31) & ~31;
}
