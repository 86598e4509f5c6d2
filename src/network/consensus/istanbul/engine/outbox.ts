import { withCommittedSeals } from "../../../../protocol/block/seal.ts";
import { type Hash, ZERO_HASH } from "../../../../protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../../../protocol/primitives/hex.ts";
import type { BlockProducer } from "../../block-producer.ts";
import type { MachineState } from "../machine/machine.ts";
import type { MachineMessage, Member } from "../machine/types.ts";
import type { MessageContent } from "../messages/message.ts";
import { digestOf } from "../messages/open-message.ts";
import type { CommittedSeals } from "./committed-seals.ts";
import type { MessageSource } from "./inbox.ts";
import { MessageSender, type MessageSenderParts } from "./message-sender.ts";
import type { Proposals } from "./proposals.ts";
import type { ViewCommittees } from "./view-committees.ts";

/** Dependencies of the outbox. */
export interface OutboxParts extends MessageSenderParts {
  readonly producer: BlockProducer;
  readonly committees: ViewCommittees;
  readonly proposals: Proposals;
  readonly seals: CommittedSeals;
  /** The machine's current state. */
  view(): MachineState;
}

/** Sends the machine's messages, and relays those it accepts from others, to the committees of this round and the next. */
export class Outbox {
  readonly #parts: OutboxParts;
  readonly #self: Member;
  readonly #sender: MessageSender;
  /** Messages relayed in this sequence. */
  readonly #relayed = new Set<string>();

  constructor(parts: OutboxParts) {
    this.#parts = parts;
    this.#self = bytesToHex(parts.signer.address);
    this.#sender = new MessageSender(parts);
  }

  /** Resolves once all messages so far are sent or have failed. */
  get flushed(): Promise<unknown> {
    return this.#sender.flushed;
  }

  /** Starts another sequence. */
  begin(): void {
    this.#relayed.clear();
  }

  /** Stops sending. */
  stop(): void {
    this.#sender.stop();
  }

  /** Signs a message of this validator and sends it once it is on disk; does nothing if its block is no longer known. */
  send(message: MachineMessage): void {
    const { proposals, seals } = this.#parts;
    const content = this.#contentOf(message);
    if (content === undefined) return;
    const { sequence } = message;
    const digest = bytesToHex(digestOf(content));
    const isSealed = message.kind === "commit" && message.sealed === digest;
    this.#sender.send({
      content,
      proposal: proposals.get(digest),
      sealed: isSealed ? digestOf(content) : undefined,
      members: this.#recipients(),
      onSealed: (seal) => seals.add(sequence, digest, this.#self, seal),
    });
  }

  /** Relays a message once, even if its sender signs the same content repeatedly to have every copy relayed. */
  relay(accepted: MachineMessage, { message, hash }: MessageSource): void {
    const { kind, from, sequence, round } = accepted;
    const digest =
      "digest" in accepted ? accepted.digest : kind === "preprepare" ? accepted.proposal.digest : "";
    const key = `${kind} ${from} ${sequence}/${round} ${digest}`;
    if (this.#relayed.has(key)) return;
    this.#relayed.add(key);
    const recipients = this.#recipients();
    if (recipients.has(this.#self)) this.#parts.relay.send(message, hash, recipients);
  }

  /** @returns undefined if its block is no longer known */
  #contentOf(message: MachineMessage): MessageContent | undefined {
    const { producer, proposals } = this.#parts;
    const at = { sequence: BigInt(message.sequence), round: message.round };
    if (message.kind === "roundChange")
      return { kind: "roundChange", ...at, digest: ZERO_HASH, parentHash: producer.tip.hash };
    const id = message.kind === "preprepare" ? message.proposal.digest : message.digest;
    const known = proposals.get(id);
    if (message.kind === "preprepare") {
      if (known === undefined) return undefined;
      const header = withCommittedSeals(known.block.header, [], message.round);
      return { kind: "preprepare", ...at, proposal: { ...known.block, header } };
    }
    const parentHash = known?.block.header.parentHash ?? producer.hashOf(at.sequence - 1n);
    return parentHash && { kind: message.kind, ...at, digest: hexToBytes(id) as Hash, parentHash };
  }

  /** The recipients: the committees of this round and the next; none if this validator is not in this round's. */
  #recipients(): ReadonlySet<Member> {
    const { sequence, round, committee } = this.#parts.view();
    if (!committee.members.has(this.#self)) return new Set();
    const next = this.#parts.committees.of(sequence, round + 1);
    return new Set([...committee.members, ...(next?.members ?? [])]);
  }
}
