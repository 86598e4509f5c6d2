import type { Block } from "../../../../protocol/block/block.ts";
import { readBlock } from "../../../../protocol/block/block-codec.ts";
import { encodeHeader } from "../../../../protocol/block/header-codec.ts";
import { encodeItem } from "../../../../protocol/codec/rlp/item.ts";
import { encodeList } from "../../../../protocol/codec/rlp/list.ts";
import { RlpReader } from "../../../../protocol/codec/rlp/reader.ts";
import { keccak256 } from "../../../../protocol/crypto/keccak.ts";
import {
  type Address,
  bigintToBytes,
  EMPTY_BYTES,
  type Hash,
  numberToBytes,
} from "../../../../protocol/primitives/bytes.ts";
import { encodeTransaction } from "../../../../protocol/transaction/encoding.ts";
import { MessageError } from "./errors.ts";
import { MESSAGE_CODES, type MessageContent, type MessageKind, type View } from "./message.ts";

const KINDS = Object.keys(MESSAGE_CODES) as readonly MessageKind[];
const SEAL_BYTES = 65;
const MAX_ROUND = 2 ** 32 - 1;

/** A message whose payload is not decoded yet. */
export interface MessageEnvelope {
  readonly previousHash: Hash;
  readonly kind: MessageKind;
  /** RLP of the payload. */
  readonly content: Uint8Array;
  readonly sender: Address;
  /** 65 bytes; empty in the signed encoding. */
  readonly signature: Uint8Array;
  readonly committedSeal: Uint8Array;
}

/** RLP of a message in its wire format. */
export function encodeEnvelope(envelope: MessageEnvelope): Uint8Array {
  return encodeItem([
    envelope.previousHash,
    numberToBytes(MESSAGE_CODES[envelope.kind]),
    envelope.content,
    envelope.sender,
    envelope.signature,
    envelope.committedSeal,
  ]);
}

/** The hash that the sender signs. */
export function signedHash(envelope: MessageEnvelope): Hash {
  return keccak256(encodeEnvelope({ ...envelope, signature: EMPTY_BYTES }));
}

/** Key of a message in the set of seen ones. */
export function messageHash(payload: Uint8Array): Hash {
  return keccak256(encodeItem(payload));
}

/**
 * Decodes the envelope of a message, at a cost independent of the payload.
 * @returns views of the input
 * @throws RlpError, MessageError `MESSAGE_FORMAT`
 */
export function decodeEnvelope(payload: Uint8Array): MessageEnvelope {
  const reader = new RlpReader(payload);
  reader.enterList("istanbul.Message");
  const previousHash = reader.fixed(32, "common.Hash");
  const kind = KINDS[reader.number("uint64")];
  const content = reader.bytes();
  const sender = reader.fixed(20, "common.Address");
  const signature = reader.fixed(SEAL_BYTES, "[]uint8");
  const committedSeal = reader.bytes();
  reader.leaveList();
  reader.finish();
  if (kind === undefined) throw malformed("invalid message");
  const mayHaveSeal = kind === "commit" && committedSeal.length === SEAL_BYTES;
  if (committedSeal.length > 0 && !mayHaveSeal) throw malformed("unexpected committed seal");
  return { previousHash, kind, content, sender, signature, committedSeal };
}

/** RLP of a payload: `[[round, sequence], block]` or `[[round, sequence], digest, parentHash]`. */
export function encodeContent(content: MessageContent): Uint8Array {
  const view = encodeItem([numberToBytes(content.round), bigintToBytes(content.sequence)]);
  if (content.kind !== "preprepare")
    return encodeList([view, encodeItem(content.digest), encodeItem(content.parentHash)]);
  return encodeList([view, encodeProposal(content.proposal)]);
}

/** RLP of a proposed block, which, unlike other blocks, includes its blob sidecars. `decodeBlock` reads it. */
export function encodeProposal({ header, transactions }: Block): Uint8Array {
  return encodeList([encodeHeader(header), encodeList(transactions.map(encodeTransaction))]);
}

/**
 * Decodes a payload.
 * @returns views of the input
 * @throws RlpError, TransactionError, MessageError `MESSAGE_FORMAT`
 */
export function decodeContent({ kind, content }: Pick<MessageEnvelope, "kind" | "content">): MessageContent {
  const reader = new RlpReader(content);
  reader.enterList(typeOf(kind));
  const view = readView(reader);
  const decoded: MessageContent =
    kind === "preprepare"
      ? { kind, ...view, proposal: readBlock(reader.raw(), 0).block }
      : {
          ...{ kind, ...view },
          digest: reader.fixed(32, "common.Hash"),
          parentHash: reader.fixed(32, "common.Hash"),
        };
  reader.leaveList();
  reader.finish();
  return decoded;
}

/** The view of a payload, at a cost independent of the rest. @throws as `decodeContent` */
export function decodeView({ kind, content }: Pick<MessageEnvelope, "kind" | "content">): View {
  const reader = new RlpReader(content);
  reader.enterList(typeOf(kind));
  return readView(reader);
}

function typeOf(kind: MessageKind): string {
  return kind === "preprepare" ? "istanbul.Preprepare" : "istanbul.Subject";
}

function readView(reader: RlpReader): View {
  reader.enterList("istanbul.View");
  const round = reader.uint("*big.Int", 8);
  const sequence = reader.uint("*big.Int", 8);
  reader.leaveList();
  if (round > MAX_ROUND) throw malformed("round out of range");
  return { round: Number(round), sequence };
}

function malformed(reason: string): MessageError {
  return new MessageError("MESSAGE_FORMAT", reason);
}
