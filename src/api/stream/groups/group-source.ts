import type { Hash } from "../../../protocol/primitives/bytes.ts";
import type { GroupKind } from "../topics.ts";

/** The blocks of a chain, as the stream reads them. */
export interface GroupSource {
  /** Number of the newest block that is on disk. */
  head(): bigint;
  /** Undefined above the head. */
  hash(number: bigint): Hash | undefined;
  /**
   * JSON text of a group in UTF-8; undefined for the traces of a block without transactions.
   * @throws StreamError `PAUSED` if no retry can succeed; anything else may succeed later
   */
  group(kind: GroupKind, number: bigint): Promise<Uint8Array | undefined>;
  /**
   * Calls a listener with each new head.
   * @param listener - given the lowest number at which the chain has a different block than before, if any
   * @returns the function that ends it
   */
  onHead(listener: (changedFrom: bigint | undefined) => void): () => void;
}
