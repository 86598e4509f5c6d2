import type { Item } from "../codec/rlp/item.ts";
import { RlpError } from "../codec/rlp/item.ts";
import { within } from "../codec/rlp/location.ts";
import type { RlpReader } from "../codec/rlp/reader.ts";
import { TransactionError } from "./errors.ts";
import type { BlobSidecar } from "./transaction.ts";
import { byteWire, fixedWire, listWire } from "./wire.ts";

const BLOB_BYTES = 131_072;

const blobs = listWire("[]kzg4844.Blob", fixedWire(BLOB_BYTES, "kzg4844.Blob"));
const commitments = listWire("[]kzg4844.Commitment", fixedWire(48, "kzg4844.Commitment"));
const proofs = listWire("[]kzg4844.Proof", fixedWire(48, "kzg4844.Proof"));
const version = byteWire("uint8");

/** The items after the transaction in network form: version (from 1 on), blobs, commitments, proofs. */
export function sidecarItems(sidecar: BlobSidecar): readonly Item[] {
  return [
    ...(sidecar.version === 0 ? [] : [version.item(sidecar.version)]),
    blobs.item(sidecar.blobs),
    commitments.item(sidecar.commitments),
    proofs.item(sidecar.proofs),
  ];
}

/**
 * Reads the members of a sidecar.
 * @param type - Go name of the enclosing struct, for error texts
 * @throws RlpError; TransactionError for a version other than 1, which has no number on the wire when it is 0
 */
export function readSidecar(reader: RlpReader, type = "types.BlobTxSidecar"): BlobSidecar {
  const member = <T>(name: string, read: () => T): T => {
    if (reader.atEnd) throw new RlpError("RLP_SHAPE", `rlp: too few elements for ${type}`);
    try {
      return read();
    } catch (error) {
      throw within(error, `.${name}`);
    }
  };
  const numbered = reader.atEnd || !reader.isList();
  const number = numbered ? member("Version", () => version.read(reader)) : 0;
  const sidecar = {
    blobs: member("Blobs", () => blobs.read(reader)),
    commitments: member("Commitments", () => commitments.read(reader)),
    proofs: member("Proofs", () => proofs.read(reader)),
  };
  if (!numbered) return { version: 0, ...sidecar };
  if (number === 1) return { version: 1, ...sidecar };
  throw new TransactionError("TX_MALFORMED", `unsupported blob tx version ${number}`);
}
