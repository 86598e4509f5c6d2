import { VoteMemory } from "../../../src/network/consensus/istanbul/journal/vote-memory.ts";
import type { VoteRecord } from "../../../src/network/consensus/istanbul/journal/vote-record.ts";
import type { IstanbulMachine } from "../../../src/network/consensus/istanbul/machine/machine.ts";
import { roundTimeoutMs } from "../../../src/network/consensus/istanbul/machine/timeout.ts";
import type {
  Effect,
  MachineFacts,
  MachineMessage,
  Member,
  ProposalId,
  ProposalVerdict,
  ResumePoint,
} from "../../../src/network/consensus/istanbul/machine/types.ts";
import { EMPTY_BYTES, ZERO_HASH } from "../../../src/protocol/primitives/bytes.ts";
import type { SimulatedBlock } from "./history.ts";
import type { Envelope } from "./setting.ts";
import type { World } from "./world.ts";

/** Time from a new head to this validator's draft on it. */
const DRAFT_MS = 1000;
/** Ranges of durations, in milliseconds. */
const DISK_MS = [0.5, 5] as const;
const CRASH_MS = [0, 6] as const;
const CHECK_MS = [0.5, 10] as const;
const IMPORT_MS = [1, 20] as const;
const FETCH_MS = [50, 300] as const;
const ASK_MS = [1000, 3000] as const;
/** Placeholder for a block in the journal. */
const BLOCK_BYTES = new Uint8Array(1);

/** A validator around its state machine: chain, journal, drafts, checks, and what is lost when it crashes. */
export class Validator {
  readonly id: number;
  readonly name: Member;
  isUp = false;
  /** Counts starts; pending work of an earlier epoch is dropped. */
  epoch = 0;
  /** The chain by number; on disk. */
  readonly chain: SimulatedBlock[];
  protected readonly world: World;
  #memory = new VoteMemory();
  #journal: VoteRecord[] = [];
  #writing: VoteRecord | undefined;
  #machine: IstanbulMachine<Envelope> | undefined;
  #checked = new Set<string>();
  #bad = new Set<string>();
  #todo: Effect<Envelope>[] = [];
  #isFetching = false;
  #isDoomed = false;
  #timer = 0;

  constructor(id: number, world: World, genesis: SimulatedBlock) {
    this.id = id;
    this.name = String(id);
    this.world = world;
    this.chain = [genesis];
  }

  /** The round of the machine. */
  get round(): number {
    return this.#machine?.view.round ?? 0;
  }

  /** The head. */
  get head(): SimulatedBlock {
    return this.chain[this.chain.length - 1] as SimulatedBlock;
  }

  /** Starts from the data on disk. */
  boot(): void {
    const { world } = this;
    this.isUp = true;
    this.epoch++;
    this.#memory = new VoteMemory();
    if (world.conduct.forgets) this.#journal = [];
    for (const record of this.#journal) this.#memory.add(record);
    this.#checked = new Set();
    this.#bad = new Set();
    this.#todo = [];
    this.#writing = undefined;
    this.#isFetching = false;
    this.#isDoomed = false;
    world.history.mark(world.queue.now, this.id, { what: "up" });
    this.#machine = new world.conduct.machine(
      this.name,
      this.head.number,
      this.#facts(),
      this.#resumePoint(),
    );
    this.#do(this.#machine.start());
    this.#draft();
    this.#ask();
  }

  /** Crashes. Pending writes may reach the disk or not. */
  crash(): void {
    if (!this.isUp) return;
    if (this.#writing !== undefined && this.world.random.chance(0.5)) this.#journal.push(this.#writing);
    this.isUp = false;
    this.epoch++;
    this.world.history.mark(this.world.queue.now, this.id, { what: "down" });
  }

  /** Makes it crash while writing or sending its next message, and restart after a while. */
  doom(isDoomed = true): void {
    this.#isDoomed = isDoomed;
  }

  /** Forgets its messages, and is honest from the next start on. */
  forget(): void {
    this.#journal = [];
  }

  /** A message arrives. */
  receive(envelope: Envelope, from: Validator): void {
    if (envelope.message.sequence > this.head.number + 1) this.#fetch(from);
    if (this.#machine !== undefined) this.#do(this.#machine.receive(envelope.message, envelope).effects);
  }

  /** A decided block arrives. */
  offer(block: SimulatedBlock, from: Validator): void {
    if (block.number > this.head.number + 1) this.#fetch(from);
    else this.#insert(block);
  }

  /** A message of this validator is sent, after it was written to the journal. */
  protected leave(message: MachineMessage): void {
    this.world.history.said(this.id, message);
    this.world.send(this, this.world.seal(message));
  }

  /** Runs something later, unless it crashes before. */
  protected later([min, max]: readonly [number, number], act: () => void): void {
    const { epoch } = this;
    this.world.queue.after(min + this.world.random.next() * (max - min), () => {
      if (this.epoch === epoch) act();
    });
  }

  // Queries of the state machine

  #facts(): MachineFacts {
    const { world } = this;
    return {
      committee: (sequence, round) => world.committee(sequence, round),
      verdict: (proposal) => this.#verdict(proposal),
      isBad: (digest) => this.#bad.has(digest),
      isOnChain: ({ number, digest }) => this.chain[number]?.digest === digest,
      mayVote: (kind, { sequence, round }, digest) =>
        !world.conduct.judgesVotes || this.#memory.allows(this.#recordOf(kind, sequence, round, digest)),
    };
  }

  #verdict({ digest }: ProposalId): ProposalVerdict {
    const block = this.world.block(digest);
    if (this.#bad.has(digest)) return { invalid: "blacklisted hash" };
    if (!this.#checked.has(digest)) return "unchecked";
    if (block.flaw === "failing" && this.world.conduct.executes) return { invalid: "invalid proposal" };
    if (block.flaw === "invalid" || block.parent !== this.head.digest) return { invalid: "invalid proposal" };
    return block.dueAt > this.world.queue.now ? "future" : "valid";
  }

  #resumePoint(): ResumePoint | undefined {
    const stopped = this.#memory.stoppedAt;
    if (stopped === undefined) return undefined;
    const { sequence, round, lock } = stopped;
    const digest = lock && this.world.digestOf(lock.digest);
    const number = Number(sequence);
    return { sequence: number, round, lock: digest === undefined ? undefined : { digest, number } };
  }

  #recordOf(kind: MachineMessage["kind"], sequence: number, round: number, digest: string): VoteRecord {
    const hash = digest === "" ? ZERO_HASH : this.world.block(digest).hash;
    const proposal = kind === "commit" ? BLOCK_BYTES : EMPTY_BYTES;
    return { kind, sequence: BigInt(sequence), round, digest: hash, proposal };
  }

  // Effects of the state machine

  /** Effects are executed in order; those after a message wait until it is on disk. */
  #do(effects: readonly Effect<Envelope>[]): void {
    const isIdle = this.#todo.length === 0;
    this.#todo.push(...effects);
    if (isIdle) this.#goOn();
  }

  #goOn(): void {
    for (let [effect] = this.#todo; effect !== undefined; [effect] = this.#todo) {
      if (effect.do === "send" && !this.#write(effect.message)) return;
      this.#todo.shift();
      this.#carryOut(effect);
    }
  }

  /** Writes a message to the journal and continues later. @returns whether there is nothing to wait for */
  #write(message: MachineMessage): boolean {
    const { kind, sequence, round } = message;
    const digest =
      kind === "preprepare" ? message.proposal.digest : kind === "roundChange" ? "" : message.digest;
    const record = this.#recordOf(kind, sequence, round, digest);
    if (this.world.conduct.judgesVotes && !this.#memory.allows(record)) return true;
    this.#memory.add(record);
    if (this.world.conduct.sendsFirst) this.leave(message);
    this.#writing = record;
    if (this.#isDoomed) this.later(CRASH_MS, () => this.world.crash(this));
    this.later(DISK_MS, () => {
      this.#writing = undefined;
      this.#journal.push(record);
      if (!this.world.conduct.sendsFirst) this.leave(message);
      this.#todo.shift();
      this.#goOn();
    });
    return false;
  }

  #carryOut(effect: Effect<Envelope>): void {
    if (effect.do === "relay") this.world.send(this, effect.source);
    else if (effect.do === "startTimer") this.#startTimer(effect.sequence, effect.round);
    else if (effect.do === "decide") this.#decide(effect);
    else if (effect.do === "wait") {
      const { dueAt } = this.world.block(effect.message.proposal.digest);
      const wait = Math.max(0, dueAt - this.world.queue.now);
      this.later([wait, wait], () => this.receive(effect.source, this));
    } else if (effect.do === "verify") {
      this.later(CHECK_MS, () => {
        this.#checked.add(effect.message.proposal.digest);
        this.receive(effect.source, this);
      });
    }
  }

  #startTimer(sequence: number, round: number): void {
    const timer = ++this.#timer;
    const length = roundTimeoutMs(round);
    this.world.history.mark(this.world.queue.now, this.id, { what: "round", sequence, round });
    this.later([length, length], () => {
      if (timer === this.#timer && this.#machine !== undefined) this.#do(this.#machine.timeout());
    });
  }

  #decide(decision: Extract<Effect<Envelope>, { do: "decide" }>): void {
    const { world } = this;
    const block = world.block(decision.proposal.digest);
    world.history.decided(this.id, block, decision, world.committee(decision.sequence, decision.round));
    this.later(IMPORT_MS, () => {
      if (block.flaw !== "failing") return this.#insert(block);
      this.#bad.add(block.digest);
      world.history.failed(block.digest);
    });
  }

  // The chain

  #insert(block: SimulatedBlock): void {
    const { number, digest } = block;
    const { world } = this;
    if (number !== this.head.number + 1) return;
    if (block.parent !== this.head.digest) throw new Error(`${digest} is not a child of ${this.head.digest}`);
    this.chain.push(block);
    world.history.inserted(this.id, block);
    world.history.mark(world.queue.now, this.id, { what: "block", number, digest });
    this.#checked.clear();
    if (this.#machine !== undefined) this.#do(this.#machine.newHead(number));
    this.#draft();
    world.announce(this, block);
  }

  #draft(): void {
    const { head } = this;
    this.later([DRAFT_MS, DRAFT_MS], () => {
      if (this.head !== head || this.#machine === undefined) return;
      const block = this.world.makeBlock(head, `${this.id}.${this.epoch}`);
      this.#checked.add(block.digest);
      this.#do(this.#machine.request(block).effects);
    });
  }

  /** Requests the blocks after our head from another. */
  #fetch(from: Validator): void {
    if (this.#isFetching || from === this) return;
    this.#isFetching = true;
    this.later(FETCH_MS, () => {
      this.#isFetching = false;
      if (!from.isUp || !this.world.areLinked(this, from)) return;
      for (const block of from.chain.slice(this.head.number + 1)) this.#insert(block);
    });
  }

  /** Polls whether another validator is ahead. */
  #ask(): void {
    this.later(ASK_MS, () => {
      const other = this.world.anyOther(this);
      if (other.head.number > this.head.number) this.#fetch(other);
      this.#ask();
    });
  }
}
