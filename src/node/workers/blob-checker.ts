import { createRequire } from "node:module";
import type { DasContextJs } from "@crate-crypto/node-eth-kzg";
import {
  checkCompressed,
  SCALAR_NOT_CANONICAL,
  WRONG_OPENING,
} from "../../ledger/evm/precompiles/kzg-point.ts";
import type { BlobSidecar } from "../../protocol/transaction/transaction.ts";

const require = createRequire(import.meta.url);

const BLOB_BYTES = 131_072;
/** A point of the curve: a commitment or a proof. */
const POINT_BYTES = 48;
/** Cells of a blob, with a proof each. @see EIP-7594 */
const CELLS = 128;
const ROW_BYTES = BLOB_BYTES + (1 + CELLS) * POINT_BYTES;
const CELL_INDEXES = Array.from({ length: CELLS }, (_, i) => i);

/** The verdict on the proofs of a sidecar. */
export interface BlobVerdict {
  /** What is wrong, as the reference node puts it. */
  readonly fault?: string;
  /** Why they could not be checked: the library cannot be loaded. */
  readonly unknown?: string;
}

/** The library functions used here. */
export interface CellLibrary {
  readonly DasContextJs: { create(options: { usePrecomp: boolean }): CellContext };
}

type CellContext = Pick<DasContextJs, "computeCells" | "verifyCellKzgProofBatch">;

/** One blob with its commitment and its cell proofs. */
interface Row {
  readonly blob: Uint8Array;
  readonly commitment: Uint8Array;
  readonly proofs: readonly Uint8Array[];
}

/** What another thread needs from a version 1 sidecar: rows of blob, commitment and 128 proofs in one buffer. */
export function blobPayload({ blobs, commitments, proofs }: BlobSidecar): Uint8Array {
  const payload = new Uint8Array(blobs.length * ROW_BYTES);
  for (const [i, blob] of blobs.entries()) {
    const points = [commitments[i] as Uint8Array, ...proofs.slice(i * CELLS, (i + 1) * CELLS)];
    payload.set(blob, i * ROW_BYTES);
    for (const [n, point] of points.entries())
      payload.set(point, i * ROW_BYTES + BLOB_BYTES + n * POINT_BYTES);
  }
  return payload;
}

/**
 * Creates a check for payloads of `blobPayload`, which takes 40 ms per blob. The first call builds the tables of the trusted
 * setup: 3 s of processor time.
 */
export function createBlobChecker(
  load: () => CellLibrary = () => require("@crate-crypto/node-eth-kzg"),
): (payload: Uint8Array) => BlobVerdict {
  let context: CellContext | undefined;
  return (payload) => {
    try {
      context ??= load().DasContextJs.create({ usePrecomp: false });
    } catch (error) {
      return { unknown: firstLine(error) };
    }
    const fault = faultOf(context, rowsOf(payload));
    return fault === undefined ? {} : { fault };
  };
}

function rowsOf(payload: Uint8Array): Row[] {
  return Array.from({ length: payload.length / ROW_BYTES }, (_, i) => {
    const row = payload.subarray(i * ROW_BYTES, (i + 1) * ROW_BYTES);
    const point = (n: number) => {
      const start = BLOB_BYTES + n * POINT_BYTES;
      return row.subarray(start, start + POINT_BYTES);
    };
    return {
      blob: row.subarray(0, BLOB_BYTES),
      commitment: point(0),
      proofs: CELL_INDEXES.map((n) => point(n + 1)),
    };
  });
}

/** The reference node checks all blobs, then all commitments, then all proofs, and reports the first fault. */
function faultOf(context: CellContext, rows: readonly Row[]): string | undefined {
  const cells: Uint8Array[] = [];
  try {
    for (const { blob } of rows) cells.push(...context.computeCells(blob));
  } catch {
    return SCALAR_NOT_CANONICAL; // a blob of the right length can have no other fault
  }
  const commitments = rows.flatMap(({ commitment }) => CELL_INDEXES.map(() => commitment));
  const indexes = rows.flatMap(() => CELL_INDEXES);
  const proofs = rows.flatMap((row) => row.proofs);
  try {
    if (context.verifyCellKzgProofBatch(commitments, indexes, cells, proofs)) return undefined;
  } catch {
    return faultOfPoints([...rows.map(({ commitment }) => commitment), ...proofs]);
  }
  return WRONG_OPENING;
}

/** The library reports only that a point cannot be decoded; this finds the rule that the first such point breaks. */
function faultOfPoints(points: readonly Uint8Array[]): string {
  try {
    for (const point of points) checkCompressed(point);
  } catch (error) {
    return firstLine(error);
  }
  return WRONG_OPENING;
}

function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split("\n", 1)[0] as string;
}
