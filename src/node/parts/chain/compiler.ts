import { createCodeCompilation } from "../../workers/code-compilation.ts";
import { part } from "../part.ts";

/** Compiles the codes of contracts that run often. */
export const compiler = part({
  name: "compiler",
  needs: {},
  start(_, { options }) {
    const offers = createCodeCompilation(options.evmCompile ?? "auto");
    return { offers, stop: async () => offers?.close() };
  },
});
