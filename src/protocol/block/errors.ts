import { NodeError } from "../primitives/errors.ts";

/** Bytes that are not a block, header, receipt or Istanbul extra data. */
export class BlockError extends NodeError<"BLOCK_EXTRA_FORMAT" | "BLOCK_SEAL"> {
  override name = "BlockError";
}
