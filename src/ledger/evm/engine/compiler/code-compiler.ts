import { compile, type WasmModule } from "../../../../protocol/wasm/web-assembly.ts";
import { compileCode } from "./compile-code.ts";

/** Which contracts are compiled: none, hot ones, or, for tests, every one before its first run. */
export const COMPILE_MODES = ["off", "auto", "always"] as const;
/** @see COMPILE_MODES */
export type CompileMode = (typeof COMPILE_MODES)[number];

/** Compiles what runs often. */
export const DEFAULT_COMPILE_MODE: CompileMode = "auto";

/** A compiled code. */
export interface CompiledCode {
  /** As created by `compileCode`. */
  readonly module: WasmModule;
  /** Bytes of WebAssembly. */
  readonly size: number;
}

/** Compiles hot contracts. */
export interface CodeCompiler {
  /** Heat at which a contract is compiled, see `Machine.warm`. */
  readonly threshold: number;
  /**
   * Compiles a contract's code, synchronously or later.
   * @param table - the opcode table of the rule set, laid out as in linear memory
   * @param done - receives undefined if the code cannot be compiled; never called after the compiler has ended
   */
  compile(code: Uint8Array, table: Uint8Array, done: (compiled: CompiledCode | undefined) => void): void;
}

/**
 * Heat at which `auto` compiles a contract: 10,000 runs, or about 12 quanta of gas, some 1.2 million. Compiling takes 0.1 to 0.15 s of CPU,
 * most of it the start of a thread, and saves a run without loops, such as a token transfer, 7 µs.
 */
export const HOT = 10_000;

/** Compiles synchronously on the calling thread, for worker threads; undefined for `off`. */
export function createInlineCompiler(mode: CompileMode): CodeCompiler | undefined {
  if (mode === "off") return undefined;
  return {
    threshold: mode === "always" ? 0 : HOT,
    compile: (code, table, done) => done(compiledCode(code, table)),
  };
}

/** Compiles bytecode; undefined if it cannot be compiled. */
export function compiledCode(code: Uint8Array, table: Uint8Array): CompiledCode | undefined {
  const bytes = compileCode(code, table);
  return bytes && { module: compile(bytes), size: bytes.length };
}
