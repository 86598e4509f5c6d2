import { bombs } from "./bombs.ts";
import { blockRows } from "./calls/blocks.ts";
import { bundleRow } from "./calls/bundles.ts";
import { heldRow } from "./calls/held.ts";
import { largeTextsRow } from "./calls/large-texts.ts";
import { simulationRows } from "./calls/simulations.ts";
import { calls } from "./calls.ts";
import { databaseRows } from "./database.ts";
import { exposureRows } from "./exposure.ts";
import { keys } from "./keys.ts";
import { peerRows } from "./peers.ts";
import { processRows } from "./process.ts";
import { reads } from "./reads.ts";
import type { HostileRow } from "./row.ts";
import { supply } from "./supply.ts";
import { transports } from "./transports.ts";

/** The rows of all rooms, in the order of `docs/security.md`. */
export const rooms: readonly (readonly HostileRow[])[] = [
  transports,
  exposureRows,
  calls,
  blockRows,
  simulationRows,
  [heldRow, bundleRow, largeTextsRow],
  reads,
  keys,
  databaseRows,
  processRows,
  bombs,
  peerRows,
  supply,
];
