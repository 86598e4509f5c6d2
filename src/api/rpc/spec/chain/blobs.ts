import { hash } from "../../../../protocol/codec/json/hex.ts";
import { wire } from "../../../../protocol/codec/json/object.ts";
import { boolean } from "../../../../protocol/codec/json/scalars.ts";
import { optional, required } from "../../../../protocol/codec/json/schema.ts";
import { method } from "../method.ts";
import { blockNumber } from "../values/block-ref.ts";
import type { WireObject } from "../values/wire-types.ts";

const sidecar = { title: "BlobSidecar", type: "object" } as const;
const full = required(boolean, "Whether blobs are returned whole instead of their first 32 bytes.");

/**
 * Sidecars of blob transactions. They are not part of blocks; a node keeps those of blocks it has made for three weeks.
 */
export const blobs = {
  getBlobSidecars: method({
    summary: "The sidecars of a block's blob transactions.",
    params: { number: optional(blockNumber, "Number of the block; default latest."), full },
    result: wire<readonly WireObject[]>("BlobSidecars", { type: "array", items: sidecar }),
    scope: "chain",
  }),
  getBlobSidecarByTxHash: method({
    summary: "The sidecar of a blob transaction that is in the chain.",
    params: { hash: required(hash, "Hash of the transaction."), full },
    result: wire<WireObject>("BlobSidecar", sidecar),
    scope: "chain",
  }),
};
