import { workerData } from "node:worker_threads";
import { recoverRows } from "../../protocol/transaction/signatures/recovery.ts";
import { serveJobs } from "./serve-jobs.ts";

const { chainId } = workerData as { readonly chainId: bigint };

// Receives payloads of `recoveryPayload`, returns rows for `keepRows`.
serveJobs((payload) => recoverRows(payload, chainId));
