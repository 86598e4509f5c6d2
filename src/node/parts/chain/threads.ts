import { createExecution } from "../../workers/execution-threads.ts";
import { part } from "../part.ts";
import { ledger } from "./ledger.ts";

/** Threads for long-running calls and traces. */
export const threads = part({
  name: "threads",
  needs: { ledger },
  start({ ledger }, { options }) {
    const offers = createExecution(ledger.evm, { most: options.maxCalls, compile: options.evmCompile });
    return { offers, stop: () => offers.close() };
  },
});
