import { existsSync } from "node:fs";
import { dirname } from "node:path";
import type { DevControls } from "../../../api/rpc/handlers/dev/dev-controls.ts";
import type { Blockchain } from "../../../ledger/chain/blockchain.ts";
import { readFileWithin } from "../../../platform/intake/read-file.ts";
import type { Runtime } from "../../../platform/runtime/runtime.ts";
import type { Logger } from "../../../platform/telemetry/logger.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { DevError } from "../errors.ts";
import { LOCAL_DUMP } from "./read-dump.ts";

/**
 * Loads the state in a file.
 * @throws DevError `STATE_FILE` when it cannot be read, `STATE_FORMAT` when it holds no state
 */
export async function loadStateFile({ chain }: DevControls, path: string): Promise<void> {
  if (!existsSync(path)) throw new DevError("STATE_FILE", `there is no state file ${path}`, { path });
  try {
    await chain.load(readFileWithin(path, LOCAL_DUMP.bytes), true);
  } catch (cause) {
    if (!(cause instanceof DevError)) throw cause;
    throw new DevError(cause.code, `${path}: ${cause.message}`, { path }, { cause });
  }
}

/** What a state file is written from. */
export interface KeptState {
  readonly controls: DevControls;
  readonly chain: Blockchain;
  readonly path: string;
  readonly runtime: Pick<Runtime, "files" | "timers">;
  readonly logger: Logger;
}

/**
 * Writes the latest state to a file periodically, when it has changed, and at the end. Writes are atomic: a reader
 * finds an old or the new state, complete, even if the process was killed.
 * @param intervalMs - between writes; undefined = only at the end
 * @returns ends it, with the last write
 * @throws what the last write threw; earlier failures are logged
 */
export function keepStateFile({ controls, chain, path, runtime, logger }: KeptState, intervalMs?: number) {
  const { files, timers } = runtime;
  let written = "";
  let writing: Promise<void> = Promise.resolve();
  let cancel = (): void => {};
  const write = async (): Promise<void> => {
    const root = bytesToHex(chain.store.latest().root);
    if (root === written && files.exists(path)) return;
    files.createDirectory(dirname(path));
    // At the end the chain stands still, so the file is always written.
    await files.replace(path, await chain.exclusive(() => controls.chain.dump()));
    written = root;
  };
  const next = (): void => {
    if (intervalMs === undefined) return;
    cancel = timers.schedule(intervalMs, () => {
      writing = write()
        .catch((error) => logger.error("the state could not be written", { path, error }))
        .finally(next);
    });
  };
  next();
  return async (): Promise<void> => {
    await writing;
    cancel();
    await write();
  };
}
