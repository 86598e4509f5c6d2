import type { HostileRow } from "./row.ts";
import { emptyLines } from "./transports/empty-lines.ts";
import { feePayers } from "./transports/fee-payers.ts";
import { flagBounds } from "./transports/flag-bounds.ts";
import { flagLimits } from "./transports/flag-limits.ts";
import { frames } from "./transports/frames.ts";
import { handshakes } from "./transports/handshakes.ts";
import { httpLimits } from "./transports/http-limits.ts";
import { httpRules } from "./transports/http-rules.ts";
import { ioProcesses } from "./transports/io-processes.ts";
import { messageStorm } from "./transports/message-storm.ts";
import { page } from "./transports/page.ts";
import { rate } from "./transports/rate.ts";
import { readers } from "./transports/readers.ts";
import { returned } from "./transports/returned.ts";
import { scrapers } from "./transports/scrapers.ts";
import { storms } from "./transports/storm.ts";
import { tls } from "./transports/tls.ts";
import { tlsRecords } from "./transports/tls-records.ts";
import { tokens } from "./transports/tokens.ts";
import { unsent } from "./transports/unsent.ts";

/** Section "Transports" of `docs/security.md`. */
export const transports: readonly HostileRow[] = [
  ...httpRules,
  ...tokens,
  ...tls,
  handshakes,
  tlsRecords,
  ...httpLimits,
  emptyLines,
  flagLimits,
  flagBounds,
  ...rate,
  ...readers,
  ...storms,
  unsent,
  returned,
  messageStorm,
  frames,
  scrapers,
  feePayers,
  ...ioProcesses,
  page,
];
