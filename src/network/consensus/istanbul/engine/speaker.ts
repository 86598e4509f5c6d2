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

/** Dependencies of a speaker. */
export interface SpeakerParts {
  readonly signer: MessageSigner;
  readonly journal: VoteJournal;
  readonly relay: VoteRelay;
  readonly logger: Logger;
}

/** A message of this validator, and its recipients. */
export interface Utterance {
  readonly content: MessageContent;
  /** The block that it is about; absent if none or an old one. */
  readonly proposal: Proposal | undefined;
  /** Hash of the block that a `commit` seals; absent = it has no seal. */
  readonly sealed: Hash | undefined;
  readonly members: ReadonlySet<Member>;
  /** Called with the seal of a `commit` once it may be used. */
  onSealed(seal: Uint8Array): void;
}

/** Sends this validator's messages in order, each once it is on disk. */
export class Speaker {
  readonly #parts: SpeakerParts;
  #said: Promise<unknown> = Promise.resolve();
  #isSilent = false;

  constructor(parts: SpeakerParts) {
    this.#parts = parts;
  }

  /** Resolves once every message so far has been sent or has failed. */
  get said(): Promise<unknown> {
    return this.#said;
  }

  say(utterance: Utterance): void {
    const { journal, logger } = this.#parts;
    const { content, proposal } = utterance;
    const { kind, sequence, round } = content;
    const vote = { kind, sequence, round, digest: digestOf(content) };
    const block = proposal && (() => encodeProposal(proposal.block));
    const recorded = journal.record(vote, block).catch((error: unknown) => {
      logger.error("a vote could not be written to disk and is not sent", { kind, sequence, round, error });
      return false;
    });
    this.#said = this.#said
      .then(async () => {
        if ((await recorded) && !this.#isSilent) this.#send(utterance);
      })
      .catch((error: unknown) => logger.error("a vote could not be sent", { kind, sequence, round, error }));
  }

  /** Stops sending. */
  silence(): void {
    this.#isSilent = true;
  }

  #send({ content, sealed, members, onSealed }: Utterance): void {
    const { signer, relay, logger } = this.#parts;
    const message = makeMessage(content, signer, sealed);
    if (sealed !== undefined) onSealed(message.committedSeal);
    const { kind, sequence, round } = content;
    logger.trace("sent", { kind, sequence, round });
    if (members.has(bytesToHex(signer.address)))
      relay.send(message, bytesToHex(messageHash(message.payload)), members);
  }
}
