import { isOpenToOthers } from "../../../platform/runtime/open-file.ts";
import type { Logger } from "../../../platform/telemetry/logger.ts";

/** Warns about a password file that other users may read. It is used anyway: containers mount secrets like that. */
export function warnOfReadablePassword(file: string, logger: Pick<Logger, "warn">): void {
  if (isOpenToOthers(file))
    logger.warn("others may read the password of the database", { file, remedy: `chmod 600 ${file}` });
}

/** The password in a file: its first line. */
export function passwordIn(text: string): string {
  return text.split(/\r?\n/, 1)[0] ?? "";
}
