import { fileRows } from "./keys/files.ts";
import { laneRows } from "./keys/lanes.ts";
import { parserRows } from "./keys/parsers.ts";
import { secretRows } from "./keys/secrets.ts";
import { signingRows } from "./keys/signing.ts";
import type { HostileRow } from "./row.ts";

/** The section "Keys" of `docs/security.md`. */
export const keys: readonly HostileRow[] = [
  ...fileRows,
  ...signingRows,
  ...secretRows,
  ...laneRows,
  ...parserRows,
];
