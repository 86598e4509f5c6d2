import { compiledCode } from "../../ledger/evm/engine/compiler/code-compiler.ts";
import { TABLE_SIZE } from "../../ledger/evm/engine/layout.ts";
import { serveJobs } from "./serve-jobs.ts";

// Receives an opcode table followed by code, returns the compiled code.
serveJobs((payload) => compiledCode(payload.subarray(TABLE_SIZE), payload.subarray(0, TABLE_SIZE)));
