import type { Logger } from "../../../../platform/telemetry/logger.ts";
import type { Hash } from "../../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import type { VoteJournal } from "../journal/vote-journal.ts";
import type { Member } from "../machine/types.ts";
import type { MessageContent } from "../messages/message.ts";
import { encodeProposal, messageHash } from "../messages/message-codec.ts";
import { digestOf, type MessageSigner, makeMessage } from "../messages/open-message.ts";
import type { Proposal } from "./proposals.ts";
import type { VoteRelay } from "./vote-relay.ts";

/** Dependencies of a message sender. */
export interface MessageSenderParts {
  readonly signer: MessageSigner;
  readonly journal: VoteJournal;
  readonly relay: VoteRelay;
  readonly logger: Logger;
}

/** A message of this validator to be signed and sent. */
export interface OutgoingMessage {
  readonly content: MessageContent;
  /** The block that it is about; undefined if there is none, or it is old. */
  readonly proposal: Proposal | undefined;
  /** Hash of the block that a `commit` seals; undefined = it carries no seal. */
  readonly sealed: Hash | undefined;
  readonly members: ReadonlySet<Member>;
  /** Called with the seal of a `commit` once the vote is on disk. */
  onSealed(seal: Uint8Array): void;
}

/** Sends this validator's messages in order, each once it is on disk. */
export class MessageSender {
  readonly #parts: MessageSenderParts;
  #queue: Promise<unknown> = Promise.resolve();
  #isStopped = false;

  constructor(parts: MessageSenderParts) {
    this.#parts = parts;
  }

  /** Resolves once all messages so far are sent or have failed. */
  get flushed(): Promise<unknown> {
    return this.#queue;
  }

  send(outgoing: OutgoingMessage): void {
    const { journal, logger } = this.#parts;
    const { content, proposal } = outgoing;
    const { kind, sequence, round } = content;
    const vote = { kind, sequence, round, digest: digestOf(content) };
    const block = proposal && (() => encodeProposal(proposal.block));
    const recorded = journal.record(vote, block).catch((error: unknown) => {
      logger.error("a vote could not be written to disk and is not sent", { kind, sequence, round, error });
      return false;
    });
    this.#queue = this.#queue
      .then(async () => {
        if ((await recorded) && !this.#isStopped) this.#signAndSend(outgoing);
      })
      .catch((error: unknown) => logger.error("a vote could not be sent", { kind, sequence, round, error }));
  }

  /** Stops sending. */
  stop(): void {
    this.#isStopped = true;
  }

  #signAndSend({ content, sealed, members, onSealed }: OutgoingMessage): void {
    const { signer, relay, logger } = this.#parts;
    const message = makeMessage(content, signer, sealed);
    if (sealed !== undefined) onSealed(message.committedSeal);
    const { kind, sequence, round } = content;
    logger.trace("sent", { kind, sequence, round });
    if (members.has(bytesToHex(signer.address)))
      relay.send(message, bytesToHex(messageHash(message.payload)), members);
  }
}
