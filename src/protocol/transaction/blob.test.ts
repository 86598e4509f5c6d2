import { describe, expect, it } from "vitest";
import { encodeItem, type Item } from "../codec/rlp/item.ts";
import { concat } from "../primitives/bytes.ts";
import { decodeTransaction } from "./decoding.ts";

const EMPTY = new Uint8Array(0);
const one = Uint8Array.of(1);
const blob = new Uint8Array(131_072);
const point = new Uint8Array(48);
/** What a transaction carries up to and with its signature; all numbers are 1. */
const fields: readonly Item[] = [
  ...[one, one, one, one, one, new Uint8Array(20), one, EMPTY, [], one, [new Uint8Array(32)]],
  ...[EMPTY, one, one],
];

const decode = (...items: readonly Item[]) =>
  decodeTransaction(concat(Uint8Array.of(0x78, 0x03), encodeItem(items)));
const place = (struct: string, path: string) =>
  `decoding into (types.Transaction)(types.TxInternalDataSerializer)(types.TxInternalDataEthereumBlob)(${struct})${path}`;

// What the reference node v2.2.1 answered to the same mistakes.
describe("a sidecar that cannot be decoded", () => {
  const whole = [one, [blob], [point], [point]];

  it.each([
    [
      "a proof of 47 bytes",
      [fields, one, [blob], [point], [point, point.subarray(1)]],
      `rlp: input string too short for kzg4844.Proof, ${place("types.blobTxWithBlobsV1", ".Proofs[1]")}`,
    ],
    [
      "the same without a version",
      [fields, [blob], [point], [point.subarray(1)]],
      `rlp: input string too short for kzg4844.Proof, ${place("types.blobTxWithBlobsV0", ".Proofs[0]")}`,
    ],
    [
      "a version of two bytes",
      [fields, Uint8Array.of(1, 1), [blob], [point], [point]],
      `rlp: input string too long for uint8, ${place("types.blobTxWithBlobsV1", ".Version")}`,
    ],
    [
      "blobs that are no list",
      [fields, one, one, [point], [point]],
      `rlp: expected input list for []kzg4844.Blob, ${place("types.blobTxWithBlobsV1", ".Blobs")}`,
    ],
    [
      "a field of the transaction that is a list",
      [fields.with(4, []), ...whole],
      `rlp: expected input string or byte for uint64, ${place("types.blobTxWithBlobsV1", ".BlobTx.GasLimit")}`,
    ],
    [
      "a field too many",
      [[...fields, one], ...whole],
      `rlp: input list has too many elements for types.TxInternalDataEthereumBlobSerializable, ${place("types.blobTxWithBlobsV1", ".BlobTx")}`,
    ],
    ["nothing behind the fields", [fields], "unexpected EOF"],
    ["only a version behind the fields", [fields, one], "rlp: too few elements for types.blobTxWithBlobsV1"],
    [
      "an element too many",
      [fields, ...whole, one],
      "rlp: input list has too many elements for types.blobTxWithBlobsV1",
    ],
    ["version 2", [fields, Uint8Array.of(2), [blob], [point], [point]], "unsupported blob tx version 2"],
  ] as const)("%s", (_, items, message) => {
    expect(() => decode(...items)).toThrow(expect.objectContaining({ message }));
  });
});
