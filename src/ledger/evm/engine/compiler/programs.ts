import { instantiate, type WasmMemory } from "../../../../protocol/wasm/web-assembly.ts";
import type { Interpreter } from "../interpreter/module.ts";
import { CODE_PROGRAM } from "../layout.ts";
import type { PlacedCode } from "../placed-code.ts";
import type { CodeCompiler, CompiledCode } from "./code-compiler.ts";
import { PROGRAM } from "./compile-code.ts";

/** Maximum size of the WebAssembly of all programs of a machine; V8's machine code takes a multiple of it. */
export const MAX_PROGRAM_BYTES = 24 * 2 ** 20;
/** Maximum number of programs of a machine: each needs at least one memory mapping, and Linux allows a process 65,530. */
export const MAX_PROGRAMS = 1024;
/** Growth of the function table, entries. */
const PLACES = 16;

/** Exports of a compiled module. */
interface Program {
  readonly [PROGRAM]: (frame: number, quantum: number) => number;
}

/** The compiled programs of a machine, each an entry of the interpreter's function table. */
export class Programs {
  readonly #interpreter: Interpreter;
  readonly #memory: WasmMemory;
  readonly #compiler: CodeCompiler | undefined;
  /** Codes by table index minus `#first`. */
  #codes: PlacedCode[] = [];
  readonly #first: number;
  #bytes = 0;

  constructor(interpreter: Interpreter, memory: WasmMemory, compiler: CodeCompiler | undefined) {
    this.#interpreter = interpreter;
    this.#memory = memory;
    this.#compiler = compiler;
    this.#first = interpreter.table.length;
  }

  /** Heat at which a contract is compiled. */
  get threshold(): number {
    return this.#compiler?.threshold ?? Number.POSITIVE_INFINITY;
  }

  /** Whether a limit is reached. */
  get isFull(): boolean {
    return this.#bytes >= MAX_PROGRAM_BYTES || this.#codes.length >= MAX_PROGRAMS;
  }

  /** Requests the compilation of a contract; called once for each. */
  request(code: PlacedCode, table: Uint8Array): void {
    const bytes = new Uint8Array(this.#memory.buffer).slice(code.code, code.code + code.size);
    const codes = this.#codes;
    this.#compiler?.compile(bytes, table, (compiled) => {
      // after `clear` the code is no longer in the arena
      if (compiled && codes === this.#codes) this.#link(code, compiled);
    });
  }

  /** Removes all programs; no frame may be running. */
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
