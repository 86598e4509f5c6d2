import { withCommittedSeals } from "../../../../protocol/block/seal.ts";
import { type Hash, ZERO_HASH } from "../../../../protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../../../protocol/primitives/hex.ts";
import type { BlockProducer } from "../../block-producer.ts";
import type { MachineView } from "../machine/machine.ts";
import type { MachineMessage, Member } from "../machine/types.ts";
import type { MessageContent } from "../messages/message.ts";
import { digestOf } from "../messages/open-message.ts";
import type { CommittedSeals } from "./committed-seals.ts";
import type { MessageSource } from "./inbox.ts";
import type { Proposals } from "./proposals.ts";
import { Speaker, type SpeakerParts } from "./speaker.ts";
import type { ViewCommittees } from "./view-committees.ts";

/** Dependencies of the outbox. */
export interface OutboxParts extends SpeakerParts {
  readonly producer: BlockProducer;
  readonly committees: ViewCommittees;
  readonly proposals: Proposals;
  readonly seals: CommittedSeals;
  /** The machine's current round. */
  view(): MachineView;
}

/** Sends the machine's messages, and relays those it accepts from others, to the committees of this round and the next. */
export class Outbox {
  readonly #parts: OutboxParts;
  readonly #self: Member;
  readonly #speaker: Speaker;
  /** Messages relayed in this sequence. */
  readonly #relayed = new Set<string>();

  constructor(parts: OutboxParts) {
    this.#parts = parts;
    this.#self = bytesToHex(parts.signer.address);
    this.#speaker = new Speaker(parts);
  }

  /** Resolves once every message so far has been sent or has failed. */
  get said(): Promise<unknown> {
    return this.#speaker.said;
  }

  /** Begins another sequence. */
  begin(): void {
    this.#relayed.clear();
  }

  /** Stops sending. */
  silence(): void {
    this.#speaker.silence();
  }

  /** Signs a message of this validator and sends it once it is on disk; does nothing if its block is gone. */
  say(message: MachineMessage): void {
    const { proposals, seals } = this.#parts;
    const content = this.#contentOf(message);
    if (content === undefined) return;
    const { sequence } = message;
    const digest = bytesToHex(digestOf(content));
    const isSealed = message.kind === "commit" && message.sealed === digest;
    this.#speaker.say({
      content,
      proposal: proposals.get(digest),
      sealed: isSealed ? digestOf(content) : undefined,
      members: this.#audience(),
      onSealed: (seal) => seals.add(sequence, digest, this.#self, seal),
    });
  }

  /** Relays a message once: its sender could sign the same content repeatedly and have every node send each copy to all. */
  relay(said: MachineMessage, { message, hash }: MessageSource): void {
    const { kind, from, sequence, round } = said;
    const digest = "digest" in said ? said.digest : kind === "preprepare" ? said.proposal.digest : "";
    const key = `${kind} ${from} ${sequence}/${round} ${digest}`;
    if (this.#relayed.has(key)) return;
    this.#relayed.add(key);
    const audience = this.#audience();
    if (audience.has(this.#self)) this.#parts.relay.send(message, hash, audience);
  }

  /** @returns undefined if its block is gone */
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
  #audience(): ReadonlySet<Member> {
    const { sequence, round, committee } = this.#parts.view();
    if (!committee.members.has(this.#self)) return new Set();
    const next = this.#parts.committees.of(sequence, round + 1);
    return new Set([...committee.members, ...(next?.members ?? [])]);
  }
}
