import { parentPort, workerData } from "node:worker_threads";
import { recoverRows } from "../../protocol/transaction/recovery.ts";

/** What the pool sends: transactions of `recoveryPayload`, numbered. */
export interface RecoverJob {
  readonly id: number;
  readonly payload: Uint8Array;
}

/** What the worker answers: rows of `recoverRows`. */
export interface RecoverAnswer {
  readonly id: number;
  readonly rows: Uint8Array;
}

const { chainId } = workerData as { readonly chainId: bigint };

parentPort?.on("message", ({ id, payload }: RecoverJob) => {
  const rows = recoverRows(payload, chainId);
  const answer: RecoverAnswer = { id, rows };
  parentPort?.postMessage(answer, [rows.buffer as ArrayBuffer]);
});
