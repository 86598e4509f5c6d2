// One state machine: every event reads and writes the same round. Backlog, round changes and timeouts are in separate files.
import { Backlog, compareViews, type Received } from "./backlog.ts";
import { RoundChanges } from "./round-changes.ts";
import type {
  Effect,
  MachineFacts,
  MachineMessage,
  Member,
  Phase,
  PreprepareMessage,
  ProposalId,
  Refusal,
  ResumePoint,
  RoundChangeMessage,
  ViewCommittee,
  ViewId,
  VoteMessage,
} from "./types.ts";

/** Maximum own blocks queued for later sequences. */
const MAX_REQUESTS = 16;

/** Processing order of messages replayed together. */
const REPLAY_ORDER = { preprepare: 0, prepare: 1, commit: 2, roundChange: 3 } as const;

/** Votes of a round, and the state carried over from round to round. */
interface RoundState extends ViewId {
  readonly prepares: Set<Member>;
  readonly commits: Set<Member>;
  /** Block prepared by a quorum; kept until the sequence ends. */
  locked: ProposalId | undefined;
  /** Proposal of this round. */
  proposal: ProposalId | undefined;
  /** This validator's own block, proposed when it is the proposer. */
  readonly pending: { block: ProposalId | undefined };
}

/** The visible state of the machine. */
export interface MachineState extends ViewId {
  readonly phase: Phase;
  /** Whether it has sent a round change and waits for a quorum. */
  readonly isAwaitingRoundChange: boolean;
  readonly committee: ViewCommittee;
  readonly locked: ProposalId | undefined;
  /** Whether the lock is in force: it is void if its block failed in execution. */
  readonly isLocked: boolean;
  readonly proposal: ProposalId | undefined;
  readonly pending: ProposalId | undefined;
  readonly prepares: ReadonlySet<Member>;
  readonly commits: ReadonlySet<Member>;
}

/**
 * The Istanbul state machine as in Kaia v2.2.1. It is deterministic and has no clock, keys or blocks: events change its state, `facts`
 * answers its queries, and it returns effects to be executed. `Source` is attached by the caller to received messages, and returned
 * with the effects that concern them.
 */
export class IstanbulMachine<Source> {
  readonly #self: Member;
  readonly #facts: MachineFacts;
  readonly #backlog = new Backlog<Source>();
  #head: number;
  #round: RoundState;
  #committee: ViewCommittee;
  #phase: Phase = "acceptRequest";
  #isAwaitingRoundChange = false;
  #roundChanges = new RoundChanges();
  /** Own blocks for later sequences, in order. */
  #requests: ProposalId[] = [];
  /** Own messages to be handled like those of others. */
  #own: MachineMessage[] = [];
  /** Queued messages to be processed again. */
  #replayedRequests: ProposalId[] = [];
  #replayed: Received<Source>[] = [];
  #effects: Effect<Source>[] = [];

  /**
   * @param self - this validator
   * @param head - number of the newest block
   * @param resume - where this validator stopped; without effect unless that was in the sequence after the head
   */
  constructor(self: Member, head: number, facts: MachineFacts, resume?: ResumePoint) {
    this.#self = self;
    this.#facts = facts;
    this.#head = head;
    const isResumed = resume?.sequence === head + 1;
    const sequence = head + 1;
    const round = isResumed ? resume.round : 0;
    const lock = isResumed ? resume.lock : undefined;
    this.#round = newRound({ sequence, round }, lock, { block: undefined });
    this.#committee = this.#committeeOf(sequence, round);
  }

  /** The current state. */
  get view(): MachineState {
    const { sequence, round, locked, proposal, pending, prepares, commits } = this.#round;
    return {
      ...{ sequence, round, locked, proposal, prepares, commits, pending: pending.block },
      ...{
        phase: this.#phase,
        isAwaitingRoundChange: this.#isAwaitingRoundChange,
        committee: this.#committee,
        isLocked: this.#isLocked,
      },
    };
  }

  /** Starts the timer of the first round. */
  start(): Effect<Source>[] {
    this.#startTimer();
    return this.#drain();
  }

  /** Provides an own block, to be proposed when this validator is the proposer, in this round or a later one. */
  request(block: ProposalId): { readonly refused: Refusal | undefined; readonly effects: Effect<Source>[] } {
    const refused = this.#handleRequest(block);
    return { refused, effects: this.#drain() };
  }

  /** Handles another validator's message whose signature, and seal in the case of a `commit`, have been verified. */
  receive(
    message: MachineMessage,
    source: Source,
  ): { readonly refused: Refusal | undefined; readonly effects: Effect<Source>[] } {
    const refused = this.#take({ message, source });
    return { refused, effects: this.#drain() };
  }

  /** The timer of the current round has expired. */
  timeout(): Effect<Source>[] {
    const { sequence, round } = this.#round;
    if (this.#head >= sequence) this.#startRound(0);
    else {
      const wanted = this.#isAwaitingRoundChange
        ? undefined
        : this.#roundChanges.highest(this.#committee.faults + 1);
      this.#requestRound(wanted !== undefined && wanted > round ? wanted : round + 1);
    }
    return this.#drain();
  }

  /** The chain has a new head. */
  newHead(number: number): Effect<Source>[] {
    this.#head = number;
    this.#startRound(0);
    return this.#drain();
  }

  // Rounds

  get #isLocked(): boolean {
    const { locked } = this.#round;
    return locked !== undefined && !this.#facts.isBad(locked.digest);
  }

  #committeeOf(sequence: number, round: number): ViewCommittee {
    const committee = this.#facts.committee(sequence, round);
    if (committee === undefined) throw new RangeError(`no validators are known for block ${sequence}`);
    return committee;
  }

  /** Starts a round requested by a quorum, or the first of the sequence after a new head. */
  #startRound(round: number): void {
    const isSameSequence = this.#head < this.#round.sequence;
    if (
      isSameSequence &&
      (this.#head !== this.#round.sequence - 1 || round === 0 || round < this.#round.round)
    )
      return;
    const attempt = isSameSequence
      ? { sequence: this.#round.sequence, round }
      : { sequence: this.#head + 1, round: 0 };
    this.#committee = this.#committeeOf(attempt.sequence, attempt.round);
    this.#roundChanges = new RoundChanges();
    if (isSameSequence) this.#moveTo(round);
    else this.#round = newRound(attempt, undefined, { block: undefined });
    this.#isAwaitingRoundChange = false;
    this.#enter("acceptRequest");
    if (isSameSequence) this.#repropose();
    this.#startTimer();
  }

  /** Moves to another round of the same sequence: the lock is kept, votes are not. */
  #moveTo(round: number): void {
    const { sequence, locked, pending } = this.#round;
    this.#round = newRound({ sequence, round }, this.#isLocked ? locked : undefined, pending);
  }

  #repropose(): void {
    const { proposal, pending } = this.#round;
    const block = this.#isLocked ? proposal : pending.block;
    if (block !== undefined) this.#propose(block);
  }

  /** Requests a round change, and waits for it. */
  #requestRound(round: number): void {
    if (this.#round.round >= round) return;
    this.#isAwaitingRoundChange = true;
    this.#moveTo(round);
    this.#roundChanges.forgetBelow(round);
    this.#startTimer();
    this.#send({ kind: "roundChange", from: this.#self, sequence: this.#round.sequence, round });
  }

  #startTimer(): void {
    const { sequence, round } = this.#round;
    this.#effects.push({ do: "startTimer", sequence, round });
  }

  /** Enters a phase and processes messages queued for it. */
  #enter(phase: Phase): void {
    this.#phase = phase;
    if (phase === "acceptRequest") this.#replayRequests();
    const due = this.#backlog.take((message) => {
      const refused = this.#checkView(message);
      return refused === undefined ? "due" : refused === FUTURE ? "early" : "late";
    });
    this.#replayed.push(...due);
  }

  #replayRequests(): void {
    const { sequence } = this.#round;
    const due = this.#requests.filter(({ number }) => number === sequence);
    this.#requests = this.#requests.filter(({ number }) => number > sequence);
    this.#replayedRequests.push(...due);
  }

  // Sending

  #send(message: MachineMessage): void {
    const digest = message.kind === "preprepare" ? message.proposal.digest : digestOf(message);
    if (!this.#facts.mayVote(message.kind, message, digest)) return;
    this.#own.push(message);
    this.#effects.push({ do: "send", message });
  }

  #propose(proposal: ProposalId): void {
    const { sequence, round } = this.#round;
    if (proposal.number === sequence && this.#committee.proposer === this.#self)
      this.#send({ kind: "preprepare", from: this.#self, sequence, round, proposal });
  }

  #vote(kind: VoteMessage["kind"]): void {
    const { sequence, round, proposal } = this.#round;
    if (proposal === undefined || !this.#committee.members.has(this.#self)) return;
    const { digest } = proposal;
    const vote = { kind, from: this.#self, sequence, round, digest };
    this.#send(kind === "commit" ? { ...vote, sealed: digest } : vote);
  }

  // Receiving

  #handleRequest(block: ProposalId): Refusal | undefined {
    const { sequence, pending } = this.#round;
    if (block.number < sequence) return OLD;
    if (block.number > sequence) {
      if (this.#requests.length < MAX_REQUESTS) this.#requests.push(block);
      this.#requests.sort((a, b) => a.number - b.number);
      return FUTURE;
    }
    pending.block = block;
    if (this.#phase === "acceptRequest") this.#propose(block);
    return undefined;
  }

  #take(received: Received<Source>): Refusal | undefined {
    const refused = this.#handle(received.message, received.source);
    if (received.message.from === this.#self) return refused; // an echo of an own message
    if (refused === FUTURE) this.#backlog.add(received, this.#round);
    if (refused === undefined) this.#effects.push({ do: "relay", ...received });
    return refused;
  }

  /** Rejects messages for another view or phase. @returns why, if so */
  #checkView(message: MachineMessage): Refusal | undefined {
    if (message.kind === "roundChange" && message.sequence > this.#round.sequence) return FUTURE;
    const order = compareViews(message, this.#round);
    if (order < 0) return OLD;
    if (message.kind === "roundChange") return undefined;
    const isTooEarly = this.#phase === "acceptRequest" && message.kind !== "preprepare";
    return order > 0 || this.#isAwaitingRoundChange || isTooEarly ? FUTURE : undefined;
  }

  #handle(message: MachineMessage, source: Source | undefined): Refusal | undefined {
    const refused = this.#checkView(message);
    if (message.kind === "preprepare" && refused === OLD) return this.#commitToOld(message);
    if (refused !== undefined) return refused;
    if (message.kind === "preprepare") return this.#handlePreprepare(message, source);
    if (message.kind === "roundChange") return this.#handleRoundChange(message);
    return this.#handleVote(message);
  }

  /** Commits to an old proposal that is on the chain: its proposer is behind, and the vote helps it to catch up. */
  #commitToOld({ sequence, round, from, proposal }: PreprepareMessage): Refusal | undefined {
    const isRight = this.#facts.committee(sequence, round)?.proposer === from && proposal.number === sequence;
    if (!isRight || !this.#facts.isOnChain(proposal)) return OLD;
    const sealed = this.#round.proposal?.digest;
    this.#send({ kind: "commit", from: this.#self, sequence, round, digest: proposal.digest, sealed });
    return undefined;
  }

  #handlePreprepare(message: PreprepareMessage, source: Source | undefined): Refusal | undefined {
    if (this.#committee.proposer !== message.from) return "message does not come from proposer";
    const { proposal } = message;
    const verdict = proposal.number === message.sequence ? this.#facts.verdict(proposal) : INVALID_NUMBER;
    if (verdict === "unchecked" || verdict === "future") {
      const task = verdict === "future" ? "wait" : "verify";
      if (source !== undefined) this.#effects.push({ do: task, message, source });
      return verdict === "future" ? "block in the future" : "proposal is being checked";
    }
    if (verdict !== "valid") {
      this.#requestRound(this.#round.round + 1);
      return verdict.invalid;
    }
    if (this.#phase === "acceptRequest") this.#accept(proposal);
    return undefined;
  }

  #accept(proposal: ProposalId): void {
    if (!this.#isLocked) {
      this.#round.proposal = proposal;
      this.#enter("preprepared");
      this.#vote("prepare");
    } else if (proposal.digest === this.#round.locked?.digest) {
      this.#round.proposal = proposal;
      this.#enter("prepared");
      this.#vote("commit");
    } else this.#requestRound(this.#round.round + 1);
  }

  #handleVote({ kind, from, digest }: VoteMessage): Refusal | undefined {
    const { proposal, prepares, commits } = this.#round;
    if (proposal === undefined || digest !== proposal.digest) return "inconsistent subjects";
    if (!this.#committee.members.has(from)) return "message does not come from a committee";
    (kind === "prepare" ? prepares : commits).add(from);
    if (this.#phase === "preprepared") this.#prepareOnQuorum(proposal);
    if (kind === "commit" && this.#phase !== "committed" && commits.size >= this.#committee.quorum)
      this.#decide(proposal);
    return undefined;
  }

  #prepareOnQuorum(proposal: ProposalId): void {
    const { prepares, commits, locked } = this.#round;
    let votes = prepares.size;
    for (const member of commits) if (!prepares.has(member)) votes++;
    const isLockedOnIt = this.#isLocked && locked?.digest === proposal.digest;
    if (!isLockedOnIt && votes < this.#committee.quorum) return;
    if (!isLockedOnIt) this.#round.locked = proposal;
    this.#enter("prepared");
    this.#vote("commit");
  }

  #decide(proposal: ProposalId): void {
    const { sequence, round, commits } = this.#round;
    this.#round.locked = proposal;
    this.#enter("committed");
    this.#effects.push({ do: "decide", proposal, sequence, round, sealsOf: [...commits].sort() });
  }

  #handleRoundChange({ round, from }: RoundChangeMessage): Refusal | undefined {
    const isLater = this.#round.round < round;
    const votes = this.#roundChanges.add(round, from);
    const { quorum, faults } = this.#committee;
    if (votes === quorum && (this.#isAwaitingRoundChange || isLater)) this.#startRound(round);
    else if (this.#isAwaitingRoundChange && votes === faults + 1) this.#requestRound(round);
    else if (isLater) return "message is ignored";
    return undefined;
  }

  /** Processes own messages in order, then replayed ones, until none are left. @returns the accumulated effects */
  #drain(): Effect<Source>[] {
    for (;;) {
      for (let own = this.#own.shift(); own !== undefined; own = this.#own.shift())
        this.#handle(own, undefined);
      if (this.#replayedRequests.length === 0 && this.#replayed.length === 0) break;
      const requests = this.#replayedRequests.splice(0);
      const messages = this.#replayed.splice(0).sort(compareReplayed);
      for (const block of requests) this.#handleRequest(block);
      for (const received of messages) this.#take(received);
    }
    const effects = this.#effects;
    this.#effects = [];
    return effects;
  }
}

const FUTURE = "future message";
const OLD = "old message";
const INVALID_NUMBER = { invalid: "invalid proposal" } as const;

/** A round without votes; a locked block is also its proposal. */
function newRound(
  attempt: ViewId,
  locked: ProposalId | undefined,
  pending: RoundState["pending"],
): RoundState {
  return { ...attempt, prepares: new Set(), commits: new Set(), locked, proposal: locked, pending };
}

function digestOf(message: VoteMessage | RoundChangeMessage): string {
  return message.kind === "roundChange" ? "" : message.digest;
}

function compareReplayed<Source>({ message: a }: Received<Source>, { message: b }: Received<Source>): number {
  const byKind = REPLAY_ORDER[a.kind] - REPLAY_ORDER[b.kind];
  return compareViews(a, b) || byKind || (a.from < b.from ? -1 : Number(a.from > b.from));
}
