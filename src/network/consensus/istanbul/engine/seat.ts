// One class: messages, heads, timers and drafts change the same machine and carry out its effects in order.
import type { Cancel, Runtime } from "../../../../platform/runtime/runtime.ts";
import type { Logger } from "../../../../platform/telemetry/logger.ts";
import { decodeBlock } from "../../../../protocol/block/block-codec.ts";
import { blockHash } from "../../../../protocol/block/hash.ts";
import { withCommittedSeals } from "../../../../protocol/block/seal.ts";
import { type Hash, ZERO_HASH } from "../../../../protocol/primitives/bytes.ts";
import { NodeError } from "../../../../protocol/primitives/errors.ts";
import { bytesToHex, hexToBytes } from "../../../../protocol/primitives/hex.ts";
import type { BlockProducer } from "../../block-producer.ts";
import { OVERTAKEN } from "../../overtaken.ts";
import type { VoteJournal } from "../journal/vote-journal.ts";
import { IstanbulMachine } from "../machine/machine.ts";
import { absenceMs, roundTimeoutMs } from "../machine/timeout.ts";
import type {
  Attempt,
  Effect,
  MachineFacts,
  MachineMessage,
  PreprepareMessage,
  ProposalId,
  ProposalVerdict,
  ResumePoint,
} from "../machine/types.ts";
import type { ConsensusMessage, MessageContent } from "../messages/message.ts";
import {
  type Claim,
  claimOf,
  digestOf,
  hasRightSeal,
  type MessageSigner,
  type VerifiedMessage,
  verifySender,
} from "../messages/open-message.ts";
import { CommittedSeals } from "./committed-seals.ts";
import type { Drafter } from "./drafter.ts";
import { LateProposers } from "./late-proposers.ts";
import type { ProposalChecker } from "./proposal-checker.ts";
import { type HeldMessage, ProposalGate } from "./proposal-gate.ts";
import { type Proposal, Proposals } from "./proposals.ts";
import type { RoundWatch } from "./round-watch.ts";
import { Speaker } from "./speaker.ts";
import type { PassedMessage, ValidatorPeer } from "./validator-peer.ts";
import type { ViewCommittees } from "./view-committees.ts";
import type { VoteRelay } from "./vote-relay.ts";

/** After so long without a proposal another validator than the proposer has a block ready, too. */
const SPARE_DRAFT_MS = 1_000;
/** A draft that failed is tried again. */
const RETRY_DRAFT_MS = 1_000;

/** Stands in the machine for the hash of a block whose transactions are not those of its header. */
const MANGLED = "mangled";

/** Dependencies of a seat. */
export interface SeatParts {
  readonly signer: MessageSigner;
  readonly producer: BlockProducer;
  readonly checker: ProposalChecker;
  readonly drafter: Drafter;
  readonly committees: ViewCommittees;
  readonly relay: VoteRelay;
  readonly journal: VoteJournal;
  readonly watch: RoundWatch;
  readonly runtime: Pick<Runtime, "clock" | "timers">;
  readonly logger: Logger;
}

/** A message as it came, with its name among those that were seen. */
interface Source {
  readonly message: ConsensusMessage;
  readonly hash: string;
}

/**
 * A validator that takes part: its machine, and what the machine's effects mean for blocks, keys, peers, the disk and the
 * clock. It votes for blocks that it has executed alone, and a vote is on disk before it leaves.
 */
export class Seat {
  readonly #parts: SeatParts;
  readonly #self: string;
  readonly #speaker: Speaker;
  readonly #proposals = new Proposals();
  readonly #seals = new CommittedSeals();
  readonly #late = new LateProposers();
  readonly #gate = new ProposalGate();
  readonly #machine: IstanbulMachine<Source>;
  #roundTimer: Cancel | undefined;
  #absenceTimer: Cancel | undefined;
  #draftTimer: Cancel | undefined;
  /** Sequence whose block is being drafted. */
  #drafting: number | undefined;
  #deciding: Promise<void> = Promise.resolve();
  /** What was passed on in this sequence. */
  readonly #relayed = new Set<string>();
  #isOpen = true;

  private constructor(parts: SeatParts, proposals: readonly Proposal[], resume: ResumePoint | undefined) {
    this.#parts = parts;
    const { signer, journal, relay, logger, producer } = parts;
    this.#self = bytesToHex(signer.address);
    this.#speaker = new Speaker({ signer, journal, relay, logger });
    for (const { id, block, finding } of proposals) this.#proposals.addOwn(id, block).finding = finding;
    const head = Number(producer.tip.header.number);
    this.#machine = new IstanbulMachine(this.#self, head, this.#facts(), resume);
  }

  /** Takes the seat, where this validator left it: in the round and with the lock that its journal has. */
  static async take(parts: SeatParts): Promise<Seat> {
    const { producer, journal, checker, logger } = parts;
    for (;;) {
      const { number } = producer.tip.header;
      const stopped = journal.stoppedAt;
      if (stopped?.sequence !== number + 1n) return new Seat(parts, [], undefined);
      const { round, lock } = stopped;
      const at = { sequence: Number(stopped.sequence), round };
      logger.info("goes on where it stopped", { ...at, locked: lock && bytesToHex(lock.digest) });
      if (lock === undefined) return new Seat(parts, [], { ...at, lock: undefined });
      const proposal: Proposal = {
        id: { digest: bytesToHex(lock.digest), number: at.sequence },
        ...{ block: decodeBlock(lock.proposal), finding: { is: "unchecked" }, check: undefined },
      };
      await checker.check(proposal);
      if (producer.tip.header.number === number)
        return new Seat(parts, [proposal], { ...at, lock: proposal.id });
    }
  }

  /** The view that it is in. */
  get view(): Attempt {
    const { sequence, round } = this.#machine.view;
    return { sequence, round };
  }

  start(): void {
    this.#perform(this.#machine.start());
  }

  /**
   * Takes a message of a peer, unless it was seen before.
   * @throws MessageError, RlpError, TransactionError when no honest node would have sent it
   */
  receive(peer: ValidatorPeer, passed: PassedMessage): void {
    if (!this.#isOpen) return;
    const { committees, relay } = this.#parts;
    const { sequence } = this.#machine.view;
    const claim = claimOf(passed.payload);
    if (claim.kind === "preprepare" && !this.#isWorthReading(claim, { peer, passed })) return;
    const hash = relay.admit(peer, passed.payload);
    if (hash === undefined) return;
    const members = committees.qualified(sequence);
    const signed = verifySender(passed.payload, (address) => members.has(bytesToHex(address)));
    if (signed.kind === "preprepare" && !this.#isWorthDecoding(signed)) return;
    const message = signed.open();
    const from = bytesToHex(message.sender);
    const { content } = message;
    if (content.sequence > BigInt(Number.MAX_SAFE_INTEGER)) return;
    const at = { sequence: Number(content.sequence), round: content.round };
    const digest = bytesToHex(digestOf(content));
    if (content.kind === "commit") {
      if (!hasRightSeal(message)) return;
      if (at.sequence >= sequence && at.sequence <= sequence + 1)
        this.#seals.add(at.sequence, digest, from, message.committedSeal);
    }
    if (content.kind === "roundChange") this.#hand({ kind: "roundChange", from, ...at }, { message, hash });
    else if (content.kind !== "preprepare")
      this.#hand({ kind: content.kind, from, ...at, digest }, { message, hash });
    else {
      const proposal = { digest, number: Number(content.proposal.header.number) };
      const isKept = at.sequence === sequence && proposal.number === sequence; // others are checked alone
      if (isKept && !this.#proposals.add(proposal, content.proposal, from)) return;
      this.#hand({ kind: "preprepare", from, ...at, proposal }, { message, hash });
    }
  }

  /**
   * Old proposals, and those that say they are of whose turn it is, a few of each peer; those for the next sequence wait until it
   * begins. To be asked before anything is hashed.
   */
  #isWorthReading({ sender, view }: Claim, message: HeldMessage): boolean {
    const { sequence } = this.#machine.view;
    const peer = bytesToHex(message.peer.address);
    const at = { sequence: Number(view.sequence), round: view.round };
    if (at.sequence < sequence) return this.#gate.mayReadOld(peer);
    if (at.sequence === sequence + 1) this.#gate.hold(peer, message);
    if (at.sequence !== sequence) return false;
    if (!this.#gate.mayRead(peer, at)) return false;
    return this.#parts.committees.of(sequence, at.round)?.proposer === bytesToHex(sender);
  }

  /** Old proposals that are answered, and those of whose turn it is. */
  #isWorthDecoding({ sender, view }: VerifiedMessage): boolean {
    const { sequence } = this.#machine.view;
    const at = { sequence: Number(view.sequence), round: view.round };
    if (at.sequence < sequence) return this.#late.admit(bytesToHex(sender), at.sequence, sequence);
    return this.#gate.mayDecode(at);
  }

  /** The chain has a new head. */
  newHead(number: number): void {
    if (!this.#isOpen || number < this.#machine.view.sequence) return;
    const sequence = number + 1;
    this.#proposals.forgetBelow(sequence);
    this.#seals.forgetBelow(sequence);
    this.#late.forget();
    this.#relayed.clear();
    this.#parts.relay.begin();
    const early = this.#gate.begin();
    this.#perform(this.#machine.newHead(number));
    for (const { peer, passed } of early) this.#takeEarly(peer, passed);
  }

  /** What came for this sequence before it began; whoever sent it may be gone. */
  #takeEarly(peer: ValidatorPeer, passed: PassedMessage): void {
    try {
      this.receive(peer, passed);
    } catch (error) {
      if (!(error instanceof NodeError)) throw error;
      this.#parts.logger.debug("an early proposal is malformed", { reason: error.message.slice(0, 200) });
    }
  }

  /** Leaves the seat: nothing is said any more. Resolves once a block that was decided is in the chain. */
  async leave(): Promise<void> {
    this.#isOpen = false;
    this.#roundTimer?.();
    this.#absenceTimer?.();
    this.#draftTimer?.();
    this.#speaker.silence();
    await this.#speaker.said;
    await this.#deciding;
  }

  // What the machine asks

  #facts(): MachineFacts {
    const { committees, journal, producer } = this.#parts;
    const verdict = ({ digest }: ProposalId): ProposalVerdict => this.#verdictOf(digest);
    return {
      committee: (sequence, round) => committees.of(sequence, round),
      verdict,
      isBad: (digest) => this.#proposals.get(digest)?.finding.is === "wrong",
      isOnChain: ({ digest, number }) => {
        const hash = producer.hashOf(BigInt(number));
        return hash !== undefined && bytesToHex(hash) === digest;
      },
      mayVote: (kind, { sequence, round }, digest) =>
        journal.allows({
          ...{ kind, round, sequence: BigInt(sequence) },
          digest: digest === "" ? ZERO_HASH : hexToBytes(digest),
        }),
    };
  }

  #verdictOf(digest: string): ProposalVerdict {
    if (digest === MANGLED) return { wrong: "not the transactions of its header" };
    const finding = this.#proposals.get(digest)?.finding ?? { is: "unchecked" };
    if ("reason" in finding) return { wrong: finding.reason };
    if (finding.is !== "future") return finding.is;
    return finding.fromMs > this.#parts.runtime.clock.now() ? "future" : "unchecked";
  }

  // What the machine wants

  #hand(message: MachineMessage, source: Source): void {
    if (!this.#isOpen) return;
    const { refused, effects } = this.#machine.receive(message, source);
    if (refused !== undefined) {
      const { kind, from, sequence, round } = message;
      this.#parts.logger.trace("not taken", { kind, from, sequence, round, refused });
    }
    this.#perform(effects);
  }

  #perform(effects: readonly Effect<Source>[]): void {
    for (const effect of effects) this.#do(effect);
  }

  #do(effect: Effect<Source>): void {
    switch (effect.do) {
      case "send":
        this.#say(effect.message);
        break;
      case "relay":
        this.#relay(effect.message, effect.source);
        break;
      case "verify":
        this.#verify(effect.message, effect.source);
        break;
      case "wait":
        this.#wait(effect.message, effect.source);
        break;
      case "startTimer":
        this.#startTimer(effect);
        break;
      case "decide":
        this.#deciding = this.#decide(effect).catch((error: unknown) => {
          this.#parts.logger.error("a decided block could not be inserted", { error });
        });
    }
  }

  #say(message: MachineMessage): void {
    const content = this.#contentOf(message);
    if (content === undefined) return;
    const { sequence } = message;
    const digest = bytesToHex(digestOf(content));
    const isSealed = message.kind === "commit" && message.sealed === digest;
    this.#speaker.say({
      content,
      proposal: this.#proposals.get(digest),
      sealed: isSealed ? digestOf(content) : undefined,
      members: this.#audience(),
      onSealed: (seal) => this.#seals.add(sequence, digest, this.#self, seal),
    });
  }

  /** @returns undefined where the block that it is about is gone */
  #contentOf(message: MachineMessage): MessageContent | undefined {
    const { producer } = this.#parts;
    const at = { sequence: BigInt(message.sequence), round: message.round };
    if (message.kind === "roundChange")
      return { kind: "roundChange", ...at, digest: ZERO_HASH, parentHash: producer.tip.hash };
    const id = message.kind === "preprepare" ? message.proposal.digest : message.digest;
    const known = this.#proposals.get(id);
    if (message.kind === "preprepare") {
      if (known === undefined) return undefined;
      const header = withCommittedSeals(known.block.header, [], message.round);
      return { kind: "preprepare", ...at, proposal: { ...known.block, header } };
    }
    const parentHash = known?.block.header.parentHash ?? producer.hashOf(at.sequence - 1n);
    return parentHash && { kind: message.kind, ...at, digest: hexToBytes(id) as Hash, parentHash };
  }

  /** Passes a message on, once: its sender could sign the same again and again, and have each node send each to all. */
  #relay(said: MachineMessage, { message, hash }: Source): void {
    const { kind, from, sequence, round } = said;
    const digest = "digest" in said ? said.digest : kind === "preprepare" ? said.proposal.digest : "";
    const key = `${kind} ${from} ${sequence}/${round} ${digest}`;
    if (this.#relayed.has(key)) return;
    this.#relayed.add(key);
    const audience = this.#audience();
    if (audience.has(this.#self)) this.#parts.relay.send(message, hash, audience);
  }

  /** The recipients: the committees of this round and the next; none where we are not in this round's. */
  #audience(): ReadonlySet<string> {
    const { sequence, round, committee } = this.#machine.view;
    if (!committee.members.has(this.#self)) return new Set();
    const next = this.#parts.committees.of(sequence, round + 1);
    return new Set([...committee.members, ...(next?.members ?? [])]);
  }

  #verify(message: PreprepareMessage, source: Source): void {
    const proposal = this.#proposals.get(message.proposal.digest);
    const { content } = source.message;
    if (proposal === undefined || content.kind !== "preprepare") return;
    if (!this.#gate.mayCheck(message, message.proposal.digest)) return;
    void this.#parts.checker.check(proposal, content.proposal).then((finding) =>
      this.#later(() => {
        if ("reason" in finding) this.#parts.watch.refused(message, finding.reason);
        const { number } = message.proposal;
        if (finding.is === "mangled")
          this.#hand({ ...message, proposal: { digest: MANGLED, number } }, source);
        else if (finding.is !== "unchecked") this.#hand(message, source);
      }),
    );
  }

  /**
   * Does what nobody waits for. The chain may have gone back by then, so that nobody is known to decide; the next head begins
   * anew, and the node lives on.
   */
  #later(task: () => void): void {
    try {
      task();
    } catch (error) {
      this.#parts.logger.error("the round could not go on", { ...this.view, error });
    }
  }

  #wait(message: PreprepareMessage, source: Source): void {
    const { clock, timers } = this.#parts.runtime;
    const finding = this.#proposals.get(message.proposal.digest)?.finding;
    const delayMs = finding?.is === "future" ? finding.fromMs - clock.now() : 0;
    if (delayMs > roundTimeoutMs(0)) return; // the round is over by then
    timers.schedule(delayMs, () => this.#later(() => this.#hand(message, source)));
  }

  #startTimer({ sequence, round }: Attempt): void {
    const { timers, clock } = this.#parts.runtime;
    this.#roundTimer?.();
    this.#absenceTimer?.();
    const dueInMs = Math.max(0, this.#parts.drafter.dueMs() - clock.now());
    this.#roundTimer = timers.schedule(roundTimeoutMs(round), () => this.#giveUp({ sequence, round }));
    this.#absenceTimer = timers.schedule(dueInMs + absenceMs(round), () => {
      if (this.#isProposerAbsent()) this.#giveUp({ sequence, round });
    });
    this.#parts.watch.began({ sequence, round });
    if (this.#machine.view.pending !== undefined) return;
    const spareMs = this.#isProposer(round) ? 0 : SPARE_DRAFT_MS;
    this.#draftIn(dueInMs + spareMs);
  }

  #giveUp(view: Attempt): void {
    this.#later(() => {
      this.#parts.watch.timedOut(view);
      this.#perform(this.#machine.timeout());
    });
  }

  /** Whether whose turn it is has said nothing and is not connected, while enough others are to go on without it. */
  #isProposerAbsent(): boolean {
    const { phase, isWaiting, committee } = this.#machine.view;
    const { proposer, members, quorum } = committee;
    if (phase !== "acceptRequest" || isWaiting || proposer === this.#self || !members.has(this.#self))
      return false;
    const connected = this.#parts.relay.connected(members);
    return !connected.has(proposer) && connected.size + 1 >= quorum;
  }

  #isProposer(round: number): boolean {
    return this.#parts.committees.of(this.#machine.view.sequence, round)?.proposer === this.#self;
  }

  #draftIn(delayMs: number): void {
    this.#draftTimer?.();
    this.#draftTimer = this.#parts.runtime.timers.schedule(delayMs, () => void this.#draft());
  }

  /** Makes a block ready, unless the others have agreed on one so far that none is needed. */
  async #draft(): Promise<void> {
    const { drafter, logger } = this.#parts;
    const { sequence, phase, isWaiting, pending, isLocked } = this.#machine.view;
    const isNeeded = phase === "acceptRequest" || isWaiting;
    if (!this.#isOpen || this.#drafting === sequence || pending || isLocked || !isNeeded) return;
    this.#drafting = sequence;
    try {
      const draft = await drafter.draft();
      if (!this.#isOpen || draft === undefined) return;
      const { header } = draft.block;
      const id = { digest: bytesToHex(blockHash(header)), number: Number(header.number) };
      if (id.number !== this.#machine.view.sequence) return;
      this.#proposals.addOwn(id, draft.block, draft.candidate);
      this.#perform(this.#machine.request(id).effects);
    } catch (error) {
      logger.error("no block could be made", { number: sequence, error });
      if (this.#isOpen) this.#draftIn(RETRY_DRAFT_MS);
    } finally {
      this.#drafting = undefined;
    }
  }

  /** Puts the seals into a block and the block into the chain. */
  async #decide({
    proposal: { digest },
    ...decision
  }: Extract<Effect<Source>, { do: "decide" }>): Promise<void> {
    const { producer, committees, logger, watch } = this.#parts;
    const { sequence, round, sealsOf } = decision;
    const proposal = this.#proposals.get(digest);
    const quorum = committees.of(sequence, round)?.quorum ?? sealsOf.length;
    await this.#speaker.said; // an own seal shows only once its vote is on disk
    if (producer.tip.header.number >= sequence) return; // it came from a peer meanwhile
    const seals = sealsOf.flatMap((member) => this.#seals.get(sequence, digest, member) ?? []);
    if (proposal?.finding.is !== "right" || seals.length < quorum) {
      logger.error("a decided block lacks its seals", { sequence, round, seals: seals.length, quorum });
      return;
    }
    const { candidate } = proposal.finding;
    const header = withCommittedSeals(proposal.block.header, seals, round);
    try {
      await producer.insert({ ...candidate, block: { ...candidate.block, header } });
    } catch (error) {
      if (!OVERTAKEN.has((error as { code?: string }).code ?? "")) throw error;
      return; // it came from a peer
    }
    watch.decided({ sequence, round });
    const { transactions } = candidate.block;
    logger.debug("committed block", { number: sequence, round, transactions: transactions.length });
  }
}
