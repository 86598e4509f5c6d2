import { encodeItem } from "../../../../protocol/codec/rlp/item.ts";
import { RlpReader } from "../../../../protocol/codec/rlp/reader.ts";
import { bigintToBytes, type Hash, numberToBytes } from "../../../../protocol/primitives/bytes.ts";
import { MESSAGE_CODES, type MessageKind, type View } from "../messages/message.ts";

const KINDS = Object.keys(MESSAGE_CODES) as readonly MessageKind[];

/** A vote of this validator in a view. */
export interface OwnVote extends View {
  readonly kind: MessageKind;
  /** Hash of the block that it is about; zeros in a `roundChange`. */
  readonly digest: Hash;
}

/** A vote in the journal. */
export interface VoteRecord extends OwnVote {
  /** RLP of the block of a `commit`, with sidecars; empty if the journal already has it, and for all other votes. */
  readonly proposal: Uint8Array;
}

/** `rlp([code, sequence, round, digest, proposal])`. */
export function encodeVoteRecord({ kind, sequence, round, digest, proposal }: VoteRecord): Uint8Array {
  return encodeItem([
    ...[numberToBytes(MESSAGE_CODES[kind]), bigintToBytes(sequence), numberToBytes(round)],
    ...[digest, proposal],
  ]);
}

/** @throws RlpError */
export function decodeVoteRecord(bytes: Uint8Array): VoteRecord {
  const reader = new RlpReader(bytes);
  reader.enterList("vote");
  const kind = KINDS[reader.number()] as MessageKind;
  const sequence = reader.uint("uint64", 8);
  const round = reader.number("uint32", 4);
  const digest = reader.fixed(32, "common.Hash");
  const proposal = new Uint8Array(reader.bytes()); // a copy, since the input is the buffer of a whole file
  reader.leaveList();
  reader.finish();
  return { kind, sequence, round, digest: new Uint8Array(digest), proposal };
}
