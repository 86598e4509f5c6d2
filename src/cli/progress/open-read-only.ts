import { join } from "node:path";
import { type Ledger, openLedger } from "../../node/storage/ledger.ts";
import { systemRuntime } from "../../platform/runtime/system.ts";
import { createInlineRecovery } from "../../protocol/transaction/signatures/recovery.ts";
import { createIndexingLine, type ProgressOutput } from "./progress.ts";

/** Opens the chain of a data folder, possibly on a read-only medium, for a command that only reads. */
export function openReadOnly(folder: string, output: ProgressOutput): Promise<Ledger> {
  const directory = join(folder, "chaindata");
  if (systemRuntime.files.isReadOnly(directory))
    output.stderr.write(
      `${folder} is read-only: no lock is taken, so no node may write to it from elsewhere meanwhile\n`,
    );
  return openLedger({
    directory,
    isReadOnly: true,
    recovery: createInlineRecovery,
    runtime: systemRuntime,
    onIndexing: createIndexingLine(output),
  });
}
