import type { Block } from "../../../../protocol/block/block.ts";
import type { Address, Hash } from "../../../../protocol/primitives/bytes.ts";

/** Kinds of messages between validators, by their codes. */
export const MESSAGE_CODES = { preprepare: 0, prepare: 1, commit: 2, roundChange: 3 } as const;

/** Kind of a message. */
export type MessageKind = keyof typeof MESSAGE_CODES;

/** A view: `sequence` is the block number, and rounds count from 0. */
export interface View {
  readonly sequence: bigint;
  /** Below 2³². */
  readonly round: number;
}

/** The proposal of a view. */
export interface Preprepare extends View {
  readonly kind: "preprepare";
  /** With the proposer's seal and the round in the vanity; blob transactions have their sidecars. */
  readonly proposal: Block;
}

/** A vote: for a block with `prepare` and `commit`, for another round with `roundChange`. */
export interface Vote extends View {
  readonly kind: Exclude<MessageKind, "preprepare">;
  /** Hash of the block; zeros in a `roundChange`. */
  readonly digest: Hash;
  /** Hash of the block's parent; of the newest block in a `roundChange`. */
  readonly parentHash: Hash;
}

/** The payload of a message. */
export type MessageContent = Preprepare | Vote;

/** A message of a validator, with its signature. */
export interface ConsensusMessage {
  /** Hash of the parent, repeated in the envelope; the reference does not check it. */
  readonly previousHash: Hash;
  readonly content: MessageContent;
  readonly sender: Address;
  /** In a `commit` 65 bytes r ‖ s ‖ parity, or none for an old block; else none. */
  readonly committedSeal: Uint8Array;
  /** The whole signed message in its wire format. */
  readonly payload: Uint8Array;
}
