// One class: heads, timers, drafts and checks drive the same machine, and its effects are executed in order.
import { STALE_CANDIDATE_CODES } from "../../../../ledger/chain/errors.ts";
import type { Runtime } from "../../../../platform/runtime/runtime.ts";
import type { Logger } from "../../../../platform/telemetry/logger.ts";
import { decodeBlock } from "../../../../protocol/block/block-codec.ts";
import { blockHash } from "../../../../protocol/block/hash.ts";
import { withCommittedSeals } from "../../../../protocol/block/seal.ts";
import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import type { BlockProducer } from "../../block-producer.ts";
import type { VoteJournal } from "../journal/vote-journal.ts";
import { IstanbulMachine } from "../machine/machine.ts";
import { absentProposerTimeoutMs, roundTimeoutMs } from "../machine/timeout.ts";
import type { Effect, MachineMessage, PreprepareMessage, ResumePoint, ViewId } from "../machine/types.ts";
import type { MessageSigner } from "../messages/open-message.ts";
import { CommittedSeals } from "./committed-seals.ts";
import type { Drafter } from "./drafter.ts";
import { Inbox, type MessageSource } from "./inbox.ts";
import { BODY_MISMATCH, machineFacts } from "./machine-facts.ts";
import { Outbox } from "./outbox.ts";
import type { ProposalChecker } from "./proposal-checker.ts";
import { ProposalGate } from "./proposal-gate.ts";
import { type Proposal, Proposals } from "./proposals.ts";
import { RoundTimers } from "./round-timers.ts";
import type { RoundWatch } from "./round-watch.ts";
import type { RawConsensusMessage, ValidatorPeer } from "./validator-peer.ts";
import type { ViewCommittees } from "./view-committees.ts";
import type { VoteRelay } from "./vote-relay.ts";

/**
 * Delay after which validators other than the proposer draft a block too, to be ready for a round change; shorter than
 * `absentProposerTimeoutMs`. On busy machines a proposal takes more than a second, and with a shorter delay each would draft a block for
 * nothing.
 */
const BACKUP_DRAFT_MS = 2_500;
/** Delay before a failed draft is retried. */
const DRAFT_RETRY_MS = 1_000;

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

/**
 * An active validator: its state machine, and the execution of the machine's effects. It votes only for blocks that it has executed, and
 * writes a vote to disk before sending it.
 */
export class Seat {
  readonly #parts: SeatParts;
  readonly #self: string;
  readonly #proposals = new Proposals();
  readonly #seals = new CommittedSeals();
  readonly #gate = new ProposalGate();
  readonly #machine: IstanbulMachine<MessageSource>;
  readonly #timers: RoundTimers;
  readonly #inbox: Inbox;
  readonly #outbox: Outbox;
  /** The sequence for which a block is being drafted. */
  #drafting: number | undefined;
  #deciding: Promise<void> = Promise.resolve();
  #isActive = true;

  private constructor(parts: SeatParts, proposals: readonly Proposal[], resume: ResumePoint | undefined) {
    this.#parts = parts;
    const { signer, producer, runtime } = parts;
    this.#self = bytesToHex(signer.address);
    this.#timers = new RoundTimers(runtime.timers);
    for (const { id, block, finding } of proposals) this.#proposals.addOwn(id, block).finding = finding;
    const head = Number(producer.tip.header.number);
    const kept = { proposals: this.#proposals, seals: this.#seals };
    const facts = machineFacts({ ...parts, ...kept, clock: runtime.clock });
    this.#machine = new IstanbulMachine(this.#self, head, facts, resume);
    this.#outbox = new Outbox({ ...parts, ...kept, view: () => this.#machine.view });
    this.#inbox = new Inbox({
      ...parts,
      ...kept,
      gate: this.#gate,
      sequence: () => this.#machine.view.sequence,
      deliver: (message, source) => this.#deliver(message, source),
    });
  }

  /** Resumes as this validator stopped: in the round and with the lock recorded in its journal. */
  static async take(parts: SeatParts): Promise<Seat> {
    const { producer, journal, checker, logger } = parts;
    for (;;) {
      const { number } = producer.tip.header;
      const stopped = journal.stoppedAt;
      if (stopped?.sequence !== number + 1n) return new Seat(parts, [], undefined);
      const { round, lock } = stopped;
      const at = { sequence: Number(stopped.sequence), round };
      logger.info("resuming the view at which it stopped", {
        ...at,
        locked: lock && bytesToHex(lock.digest),
      });
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

  /** The current view. */
  get view(): ViewId {
    const { sequence, round } = this.#machine.view;
    return { sequence, round };
  }

  start(): void {
    this.#perform(this.#machine.start());
  }

  /**
   * Handles a message of a peer, unless it was seen before.
   * @throws MessageError, RlpError, TransactionError when no honest node would have sent it
   */
  receive(peer: ValidatorPeer, passed: RawConsensusMessage): void {
    if (this.#isActive) this.#inbox.receive(peer, passed);
  }

  /** The chain has a new head. */
  newHead(number: number): void {
    if (!this.#isActive || number < this.#machine.view.sequence) return;
    const sequence = number + 1;
    this.#proposals.forgetBelow(sequence);
    this.#seals.forgetBelow(sequence);
    this.#outbox.begin();
    const early = this.#inbox.begin();
    this.#perform(this.#machine.newHead(number));
    for (const held of early) if (this.#isActive) this.#inbox.receiveEarly(held);
  }

  /** Stops taking part: nothing more is sent. Resolves once a decided block is inserted. */
  async leave(): Promise<void> {
    this.#isActive = false;
    this.#timers.stop();
    this.#outbox.stop();
    await this.#outbox.flushed;
    await this.#deciding;
  }

  #deliver(message: MachineMessage, source: MessageSource): void {
    if (!this.#isActive) return;
    const { refused, effects } = this.#machine.receive(message, source);
    if (refused !== undefined) {
      const { kind, from, sequence, round } = message;
      this.#parts.logger.trace("message rejected", { kind, from, sequence, round, refused });
    }
    this.#perform(effects);
  }

  #perform(effects: readonly Effect<MessageSource>[]): void {
    for (const effect of effects) this.#execute(effect);
  }

  #execute(effect: Effect<MessageSource>): void {
    switch (effect.do) {
      case "send":
        this.#outbox.send(effect.message);
        break;
      case "relay":
        this.#outbox.relay(effect.message, effect.source);
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

  #verify(message: PreprepareMessage, source: MessageSource): void {
    const proposal = this.#proposals.get(message.proposal.digest);
    const { content } = source.message;
    if (proposal === undefined || content.kind !== "preprepare") return;
    if (!this.#gate.mayCheck(message, message.proposal.digest)) return;
    void this.#parts.checker.check(proposal, content.proposal).then((finding) =>
      this.#runDetached(() => {
        if ("reason" in finding) this.#parts.watch.refused(message, finding.reason);
        const { number } = message.proposal;
        if (finding.is === "bodyMismatch")
          this.#deliver({ ...message, proposal: { digest: BODY_MISMATCH, number } }, source);
        else if (finding.is !== "unchecked") this.#deliver(message, source);
      }),
    );
  }

  /**
   * Runs a task that nothing awaits, logging its errors. After a rewind, for instance, no committee may be known; the next head starts over.
   */
  #runDetached(task: () => void): void {
    try {
      task();
    } catch (error) {
      this.#parts.logger.error("the round could not continue", { ...this.view, error });
    }
  }

  #wait(message: PreprepareMessage, source: MessageSource): void {
    const { clock } = this.#parts.runtime;
    const finding = this.#proposals.get(message.proposal.digest)?.finding;
    const delayMs = finding?.is === "future" ? finding.fromMs - clock.now() : 0;
    if (delayMs > roundTimeoutMs(0)) return; // the round will be over by then
    this.#timers.add(delayMs, () => this.#runDetached(() => this.#deliver(message, source)));
  }

  #startTimer({ sequence, round }: ViewId): void {
    const { runtime, drafter, watch } = this.#parts;
    const dueInMs = Math.max(0, drafter.dueMs() - runtime.clock.now());
    this.#timers.set("round", roundTimeoutMs(round), () => this.#onRoundTimeout({ sequence, round }));
    this.#timers.set("absentProposer", dueInMs + absentProposerTimeoutMs(round), () => {
      if (this.#isProposerAbsent()) this.#onRoundTimeout({ sequence, round });
    });
    watch.began({ sequence, round });
    if (this.#machine.view.pending !== undefined) return;
    const backupMs = this.#isProposer(round) ? 0 : BACKUP_DRAFT_MS;
    this.#draftIn(dueInMs + backupMs);
  }

  #onRoundTimeout(view: ViewId): void {
    this.#runDetached(() => {
      this.#parts.watch.timedOut(view);
      this.#perform(this.#machine.timeout());
    });
  }

  /** Whether the proposer has sent nothing and is disconnected, while a quorum is connected without it. */
  #isProposerAbsent(): boolean {
    const { phase, isAwaitingRoundChange, committee } = this.#machine.view;
    const { proposer, members, quorum } = committee;
    if (
      phase !== "acceptRequest" ||
      isAwaitingRoundChange ||
      proposer === this.#self ||
      !members.has(this.#self)
    )
      return false;
    const connected = this.#parts.relay.connected(members);
    return !connected.has(proposer) && connected.size + 1 >= quorum;
  }

  #isProposer(round: number): boolean {
    return this.#parts.committees.of(this.#machine.view.sequence, round)?.proposer === this.#self;
  }

  #draftIn(delayMs: number): void {
    this.#timers.set("draft", delayMs, () => void this.#draft());
  }

  /** Drafts a block, unless agreement is so close that none is needed. */
  async #draft(): Promise<void> {
    const { drafter, logger } = this.#parts;
    const { sequence, phase, isAwaitingRoundChange, pending, isLocked } = this.#machine.view;
    const isNeeded = phase === "acceptRequest" || isAwaitingRoundChange;
    if (!this.#isActive || this.#drafting === sequence || pending || isLocked || !isNeeded) return;
    this.#drafting = sequence;
    try {
      const draft = await drafter.draft();
      if (!this.#isActive || draft === undefined) return;
      const { header } = draft.block;
      const id = { digest: bytesToHex(blockHash(header)), number: Number(header.number) };
      if (id.number !== this.#machine.view.sequence) return;
      this.#proposals.addOwn(id, draft.block, draft.candidate);
      this.#perform(this.#machine.request(id).effects);
    } catch (error) {
      logger.error("drafting a block failed", { number: sequence, error });
      if (this.#isActive) this.#draftIn(DRAFT_RETRY_MS);
    } finally {
      this.#drafting = undefined;
    }
  }

  /** Adds the committed seals to a decided block and inserts it. */
  async #decide({
    proposal: { digest },
    ...decision
  }: Extract<Effect<MessageSource>, { do: "decide" }>): Promise<void> {
    const { producer, committees, logger, watch } = this.#parts;
    const { sequence, round, sealsOf } = decision;
    const proposal = this.#proposals.get(digest);
    const quorum = committees.of(sequence, round)?.quorum ?? sealsOf.length;
    await this.#outbox.flushed; // the own seal may be used only once its vote is on disk
    if (producer.tip.header.number >= sequence) return; // already received from a peer
    const seals = sealsOf.flatMap((member) => this.#seals.get(sequence, digest, member) ?? []);
    if (proposal?.finding.is !== "valid" || seals.length < quorum) {
      logger.error("a decided block lacks its seals", { sequence, round, seals: seals.length, quorum });
      return;
    }
    const { candidate } = proposal.finding;
    const header = withCommittedSeals(proposal.block.header, seals, round);
    try {
      await producer.insert({ ...candidate, block: { ...candidate.block, header } });
    } catch (error) {
      if (!STALE_CANDIDATE_CODES.has((error as { code?: string }).code ?? "")) throw error;
      return; // received from a peer meanwhile
    }
    watch.decided({ sequence, round });
    const { transactions } = candidate.block;
    logger.debug("committed block", { number: sequence, round, transactions: transactions.length });
  }
}
