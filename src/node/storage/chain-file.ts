import { constants, createWriteStream, openSync, statSync } from "node:fs";
import { Socket } from "node:net";
import type { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { Blockchain } from "../../ledger/chain/blockchain.ts";
import { exportBlocks, readBlocks } from "../../ledger/chain/import/chain-file.ts";
import type { BlockImporter, ImportProgress } from "../../ledger/chain/import/importer.ts";
import { openPieces } from "../../platform/intake/read-file.ts";
import { NEW_FILE, wholeOrNone } from "../../platform/telemetry/dump-folder.ts";

/** Cancellation and progress of an import from a file. */
export interface FileImportOptions {
  readonly signal: AbortSignal;
  /** @param fraction - of the file read so far, 0…1 */
  readonly onProgress: (progress: ImportProgress, fraction: number) => void;
}

/**
 * Executes and stores the blocks of a file of RLP blocks, plain or gzip.
 * @throws ChainError, ConsensusError, ExecutionError as `BlockImporter.importAll`
 */
export function importChainFile(
  importer: BlockImporter,
  file: string,
  { signal, onProgress }: FileImportOptions,
): Promise<ImportProgress> {
  const { size } = statSync(file);
  const stream = openPieces(file);
  return importer.importAll(readBlocks(stream), {
    signal,
    onProgress: (progress) => onProgress(progress, stream.bytesRead / size),
  });
}

/** A pipe that nobody reads would hold a thread for ever. @throws Error `ENXIO` for one */
function openOutput(file: string): Writable {
  if (statSync(file, { throwIfNoEntry: false })?.isFIFO() !== true) return createWriteStream(file);
  const { O_WRONLY, O_NONBLOCK } = constants;
  return new Socket({ fd: openSync(file, O_WRONLY | O_NONBLOCK), readable: false, writable: true });
}

/** Options of an export. */
export interface ExportOptions {
  readonly first: bigint;
  readonly last: bigint;
  /** Refuses an existing file, and creates one that only its owner can read. */
  readonly isNew?: boolean;
  /** Called with the number of each block before it is written. */
  readonly onBlock?: (number: bigint) => void;
}

/**
 * Writes the blocks `first` to `last`, inclusive, to a file; gzipped if its name ends in `.gz`.
 * @throws ChainError `OUT_OF_RANGE` before the file is touched; errors of the disk
 */
export async function exportChainFile(
  chain: Blockchain,
  file: string,
  { first, last, isNew = false, onBlock }: ExportOptions,
): Promise<void> {
  const blocks = exportBlocks(chain, first, last, onBlock);
  const { flag: flags, mode } = NEW_FILE;
  const out = isNew ? createWriteStream(file, { flags, mode }) : openOutput(file);
  const writing = file.endsWith(".gz") ? pipeline(blocks, createGzip(), out) : pipeline(blocks, out);
  await (isNew ? wholeOrNone(file, writing) : writing);
}
