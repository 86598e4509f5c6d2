import { join } from "node:path";
import { type Ledger, openLedger } from "../../node/storage/ledger.ts";
import { systemRuntime } from "../../platform/runtime/system.ts";
import { createInlineRecovery } from "../../protocol/transaction/signatures/recovery.ts";
import { createIndexingLine, type ProgressOutput } from "./progress.ts";

/**
 * Opens the chain of a data folder, possibly on a read-only medium, for a command that only reads: nothing in the folder
 * changes. Says so if the end of the log is torn.
 */
export async function openReadOnly(folder: string, output: ProgressOutput): Promise<Ledger> {
  const directory = join(folder, "chaindata");
  if (systemRuntime.files.isReadOnly(directory))
    output.stderr.write(
      `${folder} is read-only: no lock is taken, so no node may write to it from elsewhere meanwhile\n`,
    );
  const ledger = await openLedger({
    directory,
    isReadOnly: true,
    recovery: createInlineRecovery,
    runtime: systemRuntime,
    onIndexing: createIndexingLine(output),
  });
  warnOfTornEnd(ledger.store.stats(), output.stderr);
  return ledger;
}

/** What was found on opening a store. */
export type LogFound = Pick<ReturnType<Ledger["store"]["stats"]>, "truncatedBytes" | "tornFile" | "replayed">;

/** Says on a terminal what is missing at the end of a log that was cut short. */
export function warnOfTornEnd(
  { truncatedBytes, tornFile, replayed }: LogFound,
  stderr: ProgressOutput["stderr"],
): void {
  if (truncatedBytes === 0) return;
  stderr.write(
    `warning: the last ${truncatedBytes} bytes of ${tornFile} are of a write that was not ended; ${replayed} whole records of the log come before it\n`,
  );
}
