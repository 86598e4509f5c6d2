// One state machine: every event reads and writes the same round. Backlog, round changes and timeouts have files of their own.
import { Backlog, compareAttempts, type Received } from "./backlog.ts";
import { RoundChanges } from "./round-changes.ts";
import type {
  Attempt,
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
  VoteMessage,
} from "./types.ts";

/** Most own blocks queued for later sequences. */
const MOST_REQUESTS = 16;

/** Processing order of messages replayed at the same time. */
const REPLAY_ORDER = { preprepare: 0, prepare: 1, commit: 2, roundChange: 3 } as const;

/** Votes of one round, and what is carried from round to round. */
interface RoundState extends Attempt {
  readonly prepares: Set<Member>;
  readonly commits: Set<Member>;
  /** Block prepared by a quorum; kept until the sequence ends. */
  locked: ProposalId | undefined;
  /** Proposal of this round. */
  proposal: ProposalId | undefined;
  /** Our own block, proposed when it is our turn. */
  readonly pending: { block: ProposalId | undefined };
}

/** The visible state of the machine. */
export interface MachineView extends Attempt {
  readonly phase: Phase;
  /** Whether it has requested a round change and waits for the others. */
  readonly isWaiting: boolean;
  readonly committee: ViewCommittee;
  readonly locked: ProposalId | undefined;
  /** Whether the lock holds: not when its block failed in execution. */
  readonly isLocked: boolean;
  readonly proposal: ProposalId | undefined;
  readonly pending: ProposalId | undefined;
  readonly prepares: ReadonlySet<Member>;
  readonly commits: ReadonlySet<Member>;
}

/**
 * The Istanbul state machine as in Kaia v2.2.1. It has no clock, no keys and no blocks: events change its state,
 * `facts` answers its queries, and it returns effects to carry out, so that equal events always give equal effects.
 * `Source` is attached by the caller to received messages and returned when they are to be relayed.
 */
export class IstanbulMachine<Source> {
  readonly #self: Member;
  readonly #facts: MachineFacts;
  readonly #backlog = new Backlog<Source>();
  #head: number;
  #round: RoundState;
  #committee: ViewCommittee;
  #phase: Phase = "acceptRequest";
  #isWaiting = false;
  #roundChanges = new RoundChanges();
  /** Own blocks for later sequences, in order. */
  #requests: ProposalId[] = [];
  /** Own messages, which are handled like those of others. */
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
    this.#round = freshRound({ sequence, round }, lock, { block: undefined });
    this.#committee = this.#committeeOf(sequence, round);
  }

  /** Its current state. */
  get view(): MachineView {
    const { sequence, round, locked, proposal, pending, prepares, commits } = this.#round;
    return {
      ...{ sequence, round, locked, proposal, prepares, commits, pending: pending.block },
      ...{
        phase: this.#phase,
        isWaiting: this.#isWaiting,
        committee: this.#committee,
        isLocked: this.#isLocked,
      },
    };
  }

  /** Starts: requests the timer of the first round. */
  start(): Effect<Source>[] {
    this.#startTimer();
    return this.#settle();
  }

  /** An own block is ready. It is proposed when this validator is the proposer, in this round or a later one. */
  request(block: ProposalId): { readonly refused: Refusal | undefined; readonly effects: Effect<Source>[] } {
    const refused = this.#takeRequest(block);
    return { refused, effects: this.#settle() };
  }

  /** Handles another validator's message whose signature, and seal in the case of a `commit`, have been verified. */
  receive(
    message: MachineMessage,
    source: Source,
  ): { readonly refused: Refusal | undefined; readonly effects: Effect<Source>[] } {
    const refused = this.#take({ message, source });
    return { refused, effects: this.#settle() };
  }

  /** The timer of the current round ran out. */
  timeout(): Effect<Source>[] {
    const { sequence, round } = this.#round;
    if (this.#head >= sequence) this.#startRound(0);
    else {
      const wanted = this.#isWaiting ? undefined : this.#roundChanges.highest(this.#committee.faults + 1);
      this.#askForRound(wanted !== undefined && wanted > round ? wanted : round + 1);
    }
    return this.#settle();
  }

  /** The chain has a new head. */
  newHead(number: number): Effect<Source>[] {
    this.#head = number;
    this.#startRound(0);
    return this.#settle();
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
    else this.#round = freshRound(attempt, undefined, { block: undefined });
    this.#isWaiting = false;
    this.#enter("acceptRequest");
    if (isSameSequence) this.#proposeAgain();
    this.#startTimer();
  }

  /** Moves to another round of the same sequence: the lock is kept, votes are not. */
  #moveTo(round: number): void {
    const { sequence, locked, pending } = this.#round;
    this.#round = freshRound({ sequence, round }, this.#isLocked ? locked : undefined, pending);
  }

  #proposeAgain(): void {
    const { proposal, pending } = this.#round;
    const block = this.#isLocked ? proposal : pending.block;
    if (block !== undefined) this.#propose(block);
  }

  /** Requests a round change, and waits for it. */
  #askForRound(round: number): void {
    if (this.#round.round >= round) return;
    this.#isWaiting = true;
    this.#moveTo(round);
    this.#roundChanges.forgetBelow(round);
    this.#startTimer();
    this.#say({ kind: "roundChange", from: this.#self, sequence: this.#round.sequence, round });
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
      const refused = this.#whyNotNow(message);
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

  #say(message: MachineMessage): void {
    const digest = message.kind === "preprepare" ? message.proposal.digest : digestOf(message);
    if (!this.#facts.mayVote(message.kind, message, digest)) return;
    this.#own.push(message);
    this.#effects.push({ do: "send", message });
  }

  #propose(proposal: ProposalId): void {
    const { sequence, round } = this.#round;
    if (proposal.number === sequence && this.#committee.proposer === this.#self)
      this.#say({ kind: "preprepare", from: this.#self, sequence, round, proposal });
  }

  #vote(kind: VoteMessage["kind"]): void {
    const { sequence, round, proposal } = this.#round;
    if (proposal === undefined || !this.#committee.members.has(this.#self)) return;
    const { digest } = proposal;
    const vote = { kind, from: this.#self, sequence, round, digest };
    this.#say(kind === "commit" ? { ...vote, sealed: digest } : vote);
  }

  // Receiving

  #takeRequest(block: ProposalId): Refusal | undefined {
    const { sequence, pending } = this.#round;
    if (block.number < sequence) return OLD;
    if (block.number > sequence) {
      if (this.#requests.length < MOST_REQUESTS) this.#requests.push(block);
      this.#requests.sort((a, b) => a.number - b.number);
      return FUTURE;
    }
    pending.block = block;
    if (this.#phase === "acceptRequest") this.#propose(block);
    return undefined;
  }

  #take(received: Received<Source>): Refusal | undefined {
    const refused = this.#handle(received.message, received.source);
    if (received.message.from === this.#self) return refused; // our own, echoed by a peer: nothing new
    if (refused === FUTURE) this.#backlog.add(received, this.#round);
    if (refused === undefined) this.#effects.push({ do: "relay", ...received });
    return refused;
  }

  /** Whether a message is for another view or phase. */
  #whyNotNow(message: MachineMessage): Refusal | undefined {
    if (message.kind === "roundChange" && message.sequence > this.#round.sequence) return FUTURE;
    const order = compareAttempts(message, this.#round);
    if (order < 0) return OLD;
    if (message.kind === "roundChange") return undefined;
    const isTooEarly = this.#phase === "acceptRequest" && message.kind !== "preprepare";
    return order > 0 || this.#isWaiting || isTooEarly ? FUTURE : undefined;
  }

  #handle(message: MachineMessage, source: Source | undefined): Refusal | undefined {
    const refused = this.#whyNotNow(message);
    if (message.kind === "preprepare" && refused === OLD) return this.#answerOld(message);
    if (refused !== undefined) return refused;
    if (message.kind === "preprepare") return this.#takePreprepare(message, source);
    if (message.kind === "roundChange") return this.#takeRoundChange(message);
    return this.#takeVote(message);
  }

  /** A proposer of a block that is already in the chain is behind: a vote helps it to catch up. */
  #answerOld({ sequence, round, from, proposal }: PreprepareMessage): Refusal | undefined {
    const isRight = this.#facts.committee(sequence, round)?.proposer === from && proposal.number === sequence;
    if (!isRight || !this.#facts.isOnChain(proposal)) return OLD;
    const sealed = this.#round.proposal?.digest;
    this.#say({ kind: "commit", from: this.#self, sequence, round, digest: proposal.digest, sealed });
    return undefined;
  }

  #takePreprepare(message: PreprepareMessage, source: Source | undefined): Refusal | undefined {
    if (this.#committee.proposer !== message.from) return "message does not come from proposer";
    const { proposal } = message;
    const verdict = proposal.number === message.sequence ? this.#facts.verdict(proposal) : WRONG_NUMBER;
    if (verdict === "unchecked" || verdict === "future") {
      const task = verdict === "future" ? "wait" : "verify";
      if (source !== undefined) this.#effects.push({ do: task, message, source });
      return verdict === "future" ? "block in the future" : "proposal is being checked";
    }
    if (verdict !== "right") {
      this.#askForRound(this.#round.round + 1);
      return verdict.wrong;
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
    } else this.#askForRound(this.#round.round + 1);
  }

  #takeVote({ kind, from, digest }: VoteMessage): Refusal | undefined {
    const { proposal, prepares, commits } = this.#round;
    if (proposal === undefined || digest !== proposal.digest) return "inconsistent subjects";
    if (!this.#committee.members.has(from)) return "message does not come from a committee";
    (kind === "prepare" ? prepares : commits).add(from);
    if (this.#phase === "preprepared") this.#prepareIfAgreed(proposal);
    if (kind === "commit" && this.#phase !== "committed" && commits.size >= this.#committee.quorum)
      this.#decide(proposal);
    return undefined;
  }

  #prepareIfAgreed(proposal: ProposalId): void {
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

  #takeRoundChange({ round, from }: RoundChangeMessage): Refusal | undefined {
    const isLater = this.#round.round < round;
    const votes = this.#roundChanges.add(round, from);
    const { quorum, faults } = this.#committee;
    if (votes === quorum && (this.#isWaiting || isLater)) this.#startRound(round);
    else if (this.#isWaiting && votes === faults + 1) this.#askForRound(round);
    else if (isLater) return "message is ignored";
    return undefined;
  }

  /** Processes own messages first, in order, then queued ones, until nothing is left. */
  #settle(): Effect<Source>[] {
    for (;;) {
      for (let own = this.#own.shift(); own !== undefined; own = this.#own.shift())
        this.#handle(own, undefined);
      if (this.#replayedRequests.length === 0 && this.#replayed.length === 0) break;
      const requests = this.#replayedRequests.splice(0);
      const messages = this.#replayed.splice(0).sort(compareReplayed);
      for (const block of requests) this.#takeRequest(block);
      for (const received of messages) this.#take(received);
    }
    const effects = this.#effects;
    this.#effects = [];
    return effects;
  }
}

const FUTURE = "future message";
const OLD = "old message";
const WRONG_NUMBER = { wrong: "invalid proposal" } as const;

/** A round without votes. A locked validator keeps its block as the proposal. */
function freshRound(
  attempt: Attempt,
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
  return compareAttempts(a, b) || byKind || (a.from < b.from ? -1 : Number(a.from > b.from));
}
