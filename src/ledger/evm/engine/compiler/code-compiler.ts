import { compile, type WasmModule } from "../../../../protocol/wasm/web-assembly.ts";
import { compileCode } from "./compile-code.ts";

/** Which codes are compiled: none, those that run often, or each before its first run, for tests. */
export const COMPILE_MODES = ["off", "auto", "always"] as const;
/** @see COMPILE_MODES */
export type CompileMode = (typeof COMPILE_MODES)[number];

/** A code that was compiled. */
export interface CompiledCode {
  /** As `compileCode` makes it. */
  readonly module: WasmModule;
  /** Bytes of WebAssembly. */
  readonly size: number;
}

/** Compiles the codes that run often. */
export interface CodeCompiler {
  /** Heat at which a code is compiled, see `Machine.warm`. */
  readonly threshold: number;
  /**
   * Compiles a code, at once or later.
   * @param table - the opcode table of the rule set, as it lies in linear memory
   * @param done - is given undefined for a code that stays with the interpreter; never called after the compiler has ended
   */
  compile(code: Uint8Array, table: Uint8Array, done: (compiled: CompiledCode | undefined) => void): void;
}

/** Heat at which `auto` compiles a code: a hundred runs, or a dozen quanta of gas, some 1.2 million. */
export const HOT = 100;

/** Compiles on the calling thread, as threads that serve one caller do; undefined for `off`. */
export function createInlineCompiler(mode: CompileMode): CodeCompiler | undefined {
  if (mode === "off") return undefined;
  return {
    threshold: mode === "always" ? 0 : HOT,
    compile: (code, table, done) => done(compiledCode(code, table)),
  };
}

/** Compiles a code; undefined where it stays with the interpreter. */
export function compiledCode(code: Uint8Array, table: Uint8Array): CompiledCode | undefined {
  const bytes = compileCode(code, table);
  return bytes && { module: compile(bytes), size: bytes.length };
}
