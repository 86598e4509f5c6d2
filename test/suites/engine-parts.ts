import {
  COMPILE_MODES,
  type CodeCompiler,
  type CompileMode,
  createInlineCompiler,
} from "../../src/ledger/evm/engine/compiler/code-compiler.ts";

/** The compiler selected by `EVM_COMPILE`, none by default: with `always` a suite runs every contract in compiled form. */
export function compilerOfSuite(): CodeCompiler | undefined {
  const mode = process.env["EVM_COMPILE"] ?? "off";
  if (!COMPILE_MODES.some((known) => known === mode)) throw new Error(`EVM_COMPILE is ${mode}`);
  return createInlineCompiler(mode as CompileMode);
}
