import { DEFAULT_COMPILE_MODE } from "../../../ledger/evm/engine/compiler/code-compiler.ts";
import { createCodeCompilation } from "../../workers/code-compilation.ts";
import { part } from "../part.ts";

/** Compiles the codes of contracts that run often. */
export const compiler = part({
  name: "compiler",
  needs: {},
  start(_, { options }) {
    const offers = createCodeCompilation(options.evmCompile ?? DEFAULT_COMPILE_MODE);
    return { offers, stop: async () => offers?.close() };
  },
});
