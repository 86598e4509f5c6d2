import { join } from "node:path";
import type { Files } from "../../../platform/runtime/files.ts";
import type { Logger } from "../../../platform/telemetry/logger.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import type { ChangeRecord } from "../change-log.ts";
import type { ClusterError } from "../errors.ts";

/** Maximum number of records kept, so that a stream of bad ones cannot fill the disk. */
const MOST = 32;

/**
 * Saves rejected records in a folder, each as its payload and a JSON file with its metadata and the reason.
 * @param folder - created on demand; undefined = records are only logged
 */
export function createQuarantine(
  folder: string | undefined,
  files: Files,
  logger: Logger,
): (record: ChangeRecord, error: ClusterError) => void {
  return (record, error) => {
    const { height, epoch, hash, parentHash, stateRoot, checksum, size, payload } = record;
    const facts = { height, epoch, hash: bytesToHex(hash), size };
    logger.error("a record of the change log is rejected", { ...facts, error: error.message });
    if (folder === undefined) return;
    const failed = (failure: unknown) =>
      logger.error("the rejected record could not be saved", { folder, error: (failure as Error).message });
    try {
      files.createDirectory(folder);
      if (files.list(folder).length >= 2 * MOST) return;
      const name = join(folder, `${height}-${bytesToHex(checksum).slice(2, 10)}`);
      const claims = {
        ...{ height: String(height), epoch: String(epoch), size, reason: error.message },
        ...{ hash: bytesToHex(hash), parentHash: bytesToHex(parentHash) },
        ...{ stateRoot: bytesToHex(stateRoot), checksum: bytesToHex(checksum) },
      };
      const kept = [files.replace(`${name}.json`, Buffer.from(`${JSON.stringify(claims, undefined, 2)}\n`))];
      if (payload) kept.push(files.replace(`${name}.payload`, payload));
      Promise.all(kept).then(
        () => logger.error("the rejected record is saved", { file: `${name}.json` }),
        failed,
      );
    } catch (failure) {
      failed(failure);
    }
  };
}
