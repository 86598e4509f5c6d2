import { blockHash, committedSealMessage } from "../../../../protocol/block/hash.ts";
import { recoverSeal } from "../../../../protocol/block/seal.ts";
import { signBytes } from "../../../../protocol/crypto/secp256k1.ts";
import { type Address, EMPTY_BYTES, equalBytes, type Hash } from "../../../../protocol/primitives/bytes.ts";
import { MessageError } from "./errors.ts";
import type { ConsensusMessage, MessageContent, MessageKind, View } from "./message.ts";
import {
  decodeContent,
  decodeEnvelope,
  decodeView,
  encodeContent,
  encodeEnvelope,
  signedHash,
} from "./message-codec.ts";

/** The signer of messages. */
export interface MessageSigner {
  readonly address: Address;
  /** 65 bytes r ‖ s ‖ parity over a hash. */
  sign(hash: Hash): Uint8Array;
}

/** A signer with a key in memory. @param key - 32 bytes */
export function signerOf(address: Address, key: Uint8Array): MessageSigner {
  return { address, sign: (hash) => signBytes(hash, key) };
}

/**
 * Creates and signs a message of this node.
 * @param sealed - hash of the block that a `commit` seals; absent = the message has no committed seal
 */
export function makeMessage(content: MessageContent, signer: MessageSigner, sealed?: Hash): ConsensusMessage {
  const unsigned = {
    previousHash: content.kind === "preprepare" ? content.proposal.header.parentHash : content.parentHash,
    kind: content.kind,
    content: encodeContent(content),
    sender: signer.address,
    signature: EMPTY_BYTES,
    committedSeal: sealed === undefined ? EMPTY_BYTES : signer.sign(committedSealMessage(sealed)),
  };
  const signature = signer.sign(signedHash(unsigned));
  const { previousHash, sender, committedSeal } = unsigned;
  return {
    previousHash,
    content,
    sender,
    committedSeal,
    payload: encodeEnvelope({ ...unsigned, signature }),
  };
}

/** Maximum size of a message without a block; typical ones have some 300 bytes. */
const MAX_VOTE_BYTES = 1_024;

/** The unverified claims of a message. */
export interface Claim {
  readonly kind: MessageKind;
  readonly sender: Address;
  readonly view: View;
}

/**
 * Reads the claims of a message, at a cost independent of its size: nothing is hashed.
 * @throws MessageError, RlpError when no honest node would have sent it
 */
export function claimOf(payload: Uint8Array): Claim {
  const envelope = decodeEnvelope(payload);
  const { kind, sender } = envelope;
  if (kind !== "preprepare" && payload.length > MAX_VOTE_BYTES)
    throw new MessageError("MESSAGE_FORMAT", "oversized vote");
  return { kind, sender, view: decodeView(envelope) };
}

/** A message with a verified sender; the block of a proposal is not yet decoded. */
export interface VerifiedMessage {
  readonly kind: MessageKind;
  readonly sender: Address;
  readonly view: View;
  /** Decodes the whole message. @throws RlpError, TransactionError, MessageError when it is malformed */
  open(): ConsensusMessage;
}

/**
 * Verifies the sender of a message. Cheap checks come first: non-validators are rejected before a signature is recovered, and only the
 * view of the payload is decoded.
 * @param isValidator - whether an address is a current validator
 * @throws MessageError; RlpError when it is malformed
 */
export function verifySender(
  payload: Uint8Array,
  isValidator: (address: Address) => boolean,
): VerifiedMessage {
  const envelope = decodeEnvelope(payload);
  const { previousHash, kind, sender, signature, committedSeal } = envelope;
  if (!isValidator(sender)) throw new MessageError("MESSAGE_SENDER", "unauthorized address");
  if (!isSignedBy(sender, signedHash(envelope), signature))
    throw new MessageError("MESSAGE_SIGNATURE", "message not signed by the sender");
  return {
    ...{ kind, sender, view: decodeView(envelope) },
    open: () => ({ previousHash, content: decodeContent(envelope), sender, committedSeal, payload }),
  };
}

/** Verifies the sender of a message and decodes it. @throws as `verifySender` and `VerifiedMessage.open` */
export function openMessage(
  payload: Uint8Array,
  isValidator: (address: Address) => boolean,
): ConsensusMessage {
  return verifySender(payload, isValidator).open();
}

/** Whether a `commit` carries its sender's seal over its block; others must not be counted. */
export function hasValidSeal({ content, sender, committedSeal }: ConsensusMessage): boolean {
  return content.kind === "commit" && isSignedBy(sender, committedSealMessage(content.digest), committedSeal);
}

/** Hash of the block of a message; zeros in a `roundChange`. */
export function digestOf(content: MessageContent): Hash {
  return content.kind === "preprepare" ? blockHash(content.proposal.header) : content.digest;
}

function isSignedBy(address: Address, hash: Hash, signature: Uint8Array): boolean {
  try {
    return equalBytes(recoverSeal(hash, signature), address);
  } catch {
    return false;
  }
}
