import { compiledCode } from "../../ledger/evm/engine/compiler/code-compiler.ts";
import { TABLE_SIZE } from "../../ledger/evm/engine/layout.ts";
import { serveJobs } from "./serve-jobs.ts";

// An opcode table and the code behind it in, its compiled form out.
serveJobs((payload) => compiledCode(payload.subarray(TABLE_SIZE), payload.subarray(0, TABLE_SIZE)));
