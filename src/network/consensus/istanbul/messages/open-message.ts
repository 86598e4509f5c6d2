import { blockHash, committedSealMessage } from "../../../../protocol/block/hash.ts";
import { recoverSeal } from "../../../../protocol/block/seal.ts";
import { signBytes } from "../../../../protocol/crypto/secp256k1.ts";
import { type Address, EMPTY_BYTES, equalBytes, type Hash } from "../../../../protocol/primitives/bytes.ts";
import { MessageError } from "./errors.ts";
import type { ConsensusMessage, MessageContent } from "./message.ts";
import { decodeContent, decodeEnvelope, encodeContent, encodeEnvelope, signedHash } from "./message-codec.ts";

/** Who signs messages. */
export interface MessageSigner {
  readonly address: Address;
  /** 65 bytes r ‖ s ‖ parity over a hash. */
  sign(hash: Hash): Uint8Array;
}

/** A signer with a key at hand. @param key - 32 bytes */
export function signerOf(address: Address, key: Uint8Array): MessageSigner {
  return { address, sign: (hash) => signBytes(hash, key) };
}

/**
 * Makes a message of this node.
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

/**
 * Reads a message and checks who sent it. What costs little comes first: who does not take part is told so before a
 * signature is recovered, and only what is signed is read inside.
 * @param isValidator - whether an address takes part now
 * @throws MessageError; RlpError, TransactionError when it is malformed
 */
export function openMessage(
  payload: Uint8Array,
  isValidator: (address: Address) => boolean,
): ConsensusMessage {
  const envelope = decodeEnvelope(payload);
  const { previousHash, sender, signature, committedSeal } = envelope;
  if (!isValidator(sender)) throw new MessageError("MESSAGE_SENDER", "unauthorized address");
  if (!isSignedBy(sender, signedHash(envelope), signature))
    throw new MessageError("MESSAGE_SIGNATURE", "message not signed by the sender");
  return { previousHash, content: decodeContent(envelope), sender, committedSeal, payload };
}

/** Whether a `commit` has the seal of its sender over the block that it names; only such a one may count. */
export function hasRightSeal({ content, sender, committedSeal }: ConsensusMessage): boolean {
  return content.kind === "commit" && isSignedBy(sender, committedSealMessage(content.digest), committedSeal);
}

/** Hash of the block that a message is about; zeros in a `roundChange`. */
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
