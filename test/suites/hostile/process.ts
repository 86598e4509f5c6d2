import { answeredHashes } from "./process/answered-hashes.ts";
import { backups } from "./process/backups.ts";
import { failingBoundaries } from "./process/boundaries.ts";
import { readOnlyMedia } from "./process/read-only.ts";
import { removedTransactions } from "./process/removed-transactions.ts";
import { closedOutput, crash, signals, standstill } from "./process/signals.ts";
import { longChain, manyKeyFiles } from "./process/starts.ts";
import { steadyLoad } from "./process/steady-load.ts";
import type { HostileRow } from "./row.ts";

/** Promises about the process: how it stops, what it leaves behind, and that it keeps running. */
export const processRows: readonly HostileRow[] = [
  removedTransactions,
  answeredHashes,
  signals,
  standstill("R7", 5, false),
  standstill("R7l", 60, true),
  crash,
  failingBoundaries("R11f", 7, false),
  failingBoundaries("R11l", 1, true),
  closedOutput,
  backups,
  readOnlyMedia,
  steadyLoad("R9s", 20, true),
  steadyLoad("R9m", 120, true),
  manyKeyFiles,
  longChain("R12", 10_000, false),
  longChain("R12l", 100_000, true),
];
