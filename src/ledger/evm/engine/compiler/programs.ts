import { instantiate, type WasmMemory } from "../../../../protocol/wasm/web-assembly.ts";
import type { Interpreter } from "../interpreter/module.ts";
import { CODE_PROGRAM } from "../layout.ts";
import type { PlacedCode } from "../placed-code.ts";
import type { CodeCompiler, CompiledCode } from "./code-compiler.ts";
import { PROGRAM } from "./compile-code.ts";

/** Bytes of WebAssembly of all programs of a machine, a multiple of which V8 takes for its code. */
export const MAX_PROGRAM_BYTES = 24 * 2 ** 20;
/** Programs of a machine: each takes a mapping of memory or more, of which Linux allows a process 65,530. */
export const MAX_PROGRAMS = 1024;
/** The table grows by so many places at once. */
const PLACES = 16;

/** What a compiled module exports. */
interface Program {
  readonly [PROGRAM]: (frame: number, quantum: number) => number;
}

/** The compiled forms of a machine's codes, each in a place of the interpreter's function table. */
export class Programs {
  readonly #interpreter: Interpreter;
  readonly #memory: WasmMemory;
  readonly #compiler: CodeCompiler | undefined;
  /** Codes by place, from `#first` on. */
  #codes: PlacedCode[] = [];
  readonly #first: number;
  #bytes = 0;

  constructor(interpreter: Interpreter, memory: WasmMemory, compiler: CodeCompiler | undefined) {
    this.#interpreter = interpreter;
    this.#memory = memory;
    this.#compiler = compiler;
    this.#first = interpreter.table.length;
  }

  /** Heat at which a code is compiled. */
  get threshold(): number {
    return this.#compiler?.threshold ?? Number.POSITIVE_INFINITY;
  }

  /** Whether there is no room for another program. */
  get isFull(): boolean {
    return this.#bytes >= MAX_PROGRAM_BYTES || this.#codes.length >= MAX_PROGRAMS;
  }

  /** Has a code compiled, once. */
  request(code: PlacedCode, table: Uint8Array): void {
    const bytes = new Uint8Array(this.#memory.buffer).slice(code.code, code.code + code.size);
    const codes = this.#codes;
    this.#compiler?.compile(bytes, table, (compiled) => {
      // what was cleared meanwhile is in the arena no more
      if (compiled && codes === this.#codes) this.#link(code, compiled);
    });
  }

  /** Removes all programs; no frame may be running. Their codes are forgotten with them. */
  clear(): void {
    for (const place of this.#codes.keys()) this.#interpreter.table.set(this.#first + place, null);
    this.#codes = [];
    this.#bytes = 0;
  }

  #link(code: PlacedCode, { module, size }: CompiledCode): void {
    if (this.isFull) return;
    const { table, ...functions } = this.#interpreter;
    const runtime = { ...functions, memory: this.#memory };
    const program = instantiate<Program>(module, { runtime })[PROGRAM];
    const place = this.#first + this.#codes.length;
    if (place >= table.length) table.grow(PLACES);
    table.set(place, program);
    this.#codes.push(code);
    this.#bytes += size;
    new Uint32Array(this.#memory.buffer)[(code.record + CODE_PROGRAM) >>> 2] = place;
  }
}
