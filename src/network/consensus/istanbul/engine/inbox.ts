import type { Logger } from "../../../../platform/telemetry/logger.ts";
import { NodeError } from "../../../../protocol/primitives/errors.ts";
import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import type { MachineMessage } from "../machine/types.ts";
import type { ConsensusMessage } from "../messages/message.ts";
import {
  type Claim,
  claimOf,
  digestOf,
  hasValidSeal,
  type VerifiedMessage,
  verifySender,
} from "../messages/open-message.ts";
import type { CommittedSeals } from "./committed-seals.ts";
import { LateProposers } from "./late-proposers.ts";
import type { HeldMessage, ProposalGate } from "./proposal-gate.ts";
import type { Proposals } from "./proposals.ts";
import type { RawConsensusMessage, ValidatorPeer } from "./validator-peer.ts";
import type { ViewCommittees } from "./view-committees.ts";
import type { VoteRelay } from "./vote-relay.ts";

/** A received message, with its key in the set of seen messages. */
export interface MessageSource {
  readonly message: ConsensusMessage;
  readonly hash: string;
}

/** Dependencies of the inbox. */
export interface InboxParts {
  readonly committees: ViewCommittees;
  readonly relay: VoteRelay;
  readonly gate: ProposalGate;
  readonly proposals: Proposals;
  readonly seals: CommittedSeals;
  readonly logger: Logger;
  /** The sequence that is being decided. */
  sequence(): number;
  /** Called with each valid message. */
  deliver(message: MachineMessage, source: MessageSource): void;
}

/** Validates messages of peers, cheapest checks first, so that nobody can make a validator hash or decode megabytes for nothing. */
export class Inbox {
  readonly #parts: InboxParts;
  readonly #late = new LateProposers();

  constructor(parts: InboxParts) {
    this.#parts = parts;
  }

  /**
   * Handles a message of a peer, unless it was seen before.
   * @throws MessageError, RlpError, TransactionError when no honest node would have sent it
   */
  receive(peer: ValidatorPeer, passed: RawConsensusMessage): void {
    const { committees, relay } = this.#parts;
    const claim = claimOf(passed.payload);
    if (claim.kind === "preprepare" && !this.#isWorthReading(claim, { peer, passed })) return;
    const hash = relay.admit(peer, passed.payload);
    if (hash === undefined) return;
    const members = committees.qualified(this.#parts.sequence());
    const signed = verifySender(passed.payload, (address) => members.has(bytesToHex(address)));
    if (signed.kind === "preprepare" && !this.#isWorthDecoding(signed)) return;
    this.#open(signed.open(), hash);
  }

  /** Starts another sequence. @returns the messages that arrived early for it, for `receiveEarly` */
  begin(): readonly HeldMessage[] {
    this.#late.forget();
    this.#parts.relay.begin();
    return this.#parts.gate.begin();
  }

  /** Handles a message that arrived before its sequence started; its sender may have disconnected. */
  receiveEarly({ peer, passed }: HeldMessage): void {
    try {
      this.receive(peer, passed);
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      this.#parts.logger.debug("an early proposal is malformed", { reason: error.message.slice(0, 200) });
    }
  }

  /** Stores the seal or the block of a message, and passes its content to the machine. */
  #open(message: ConsensusMessage, hash: string): void {
    const { proposals, seals, deliver } = this.#parts;
    const sequence = this.#parts.sequence();
    const from = bytesToHex(message.sender);
    const { content } = message;
    if (content.sequence > BigInt(Number.MAX_SAFE_INTEGER)) return;
    const at = { sequence: Number(content.sequence), round: content.round };
    const digest = bytesToHex(digestOf(content));
    const source = { message, hash };
    if (content.kind === "commit") {
      if (!hasValidSeal(message)) return;
      if (at.sequence >= sequence && at.sequence <= sequence + 1)
        seals.add(at.sequence, digest, from, message.committedSeal);
    }
    if (content.kind === "roundChange") deliver({ kind: "roundChange", from, ...at }, source);
    else if (content.kind !== "preprepare") deliver({ kind: content.kind, from, ...at, digest }, source);
    else {
      const proposal = { digest, number: Number(content.proposal.header.number) };
      const isKept = at.sequence === sequence && proposal.number === sequence; // others are only checked
      if (isKept && !proposals.add(proposal, content.proposal, from)) return;
      deliver({ kind: "preprepare", from, ...at, proposal }, source);
    }
  }

  /**
   * Whether to read a proposal: an old one, or one that claims to be from the proposer of its view, a limited number per peer; those for
   * the next sequence are held until it starts. Must be called before anything is hashed.
   */
  #isWorthReading({ sender, view }: Claim, message: HeldMessage): boolean {
    const { gate, committees } = this.#parts;
    const sequence = this.#parts.sequence();
    const peer = bytesToHex(message.peer.address);
    const at = { sequence: Number(view.sequence), round: view.round };
    if (at.sequence < sequence) return gate.mayReadOld(peer);
    if (at.sequence === sequence + 1) gate.hold(peer, message);
    if (at.sequence !== sequence) return false;
    if (!gate.mayRead(peer, at)) return false;
    return committees.of(sequence, at.round)?.proposer === bytesToHex(sender);
  }

  /** Whether to decode a proposal: an old one that will be answered, or one within the limit of its view. */
  #isWorthDecoding({ sender, view }: VerifiedMessage): boolean {
    const sequence = this.#parts.sequence();
    const at = { sequence: Number(view.sequence), round: view.round };
    if (at.sequence < sequence) return this.#late.admit(bytesToHex(sender), at.sequence, sequence);
    return this.#parts.gate.mayDecode(at);
  }
}
