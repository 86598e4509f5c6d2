import { faultsOf, quorumOf } from "../../../src/ledger/extensions/valset/qualified.ts";
import { roundTimeoutMs } from "../../../src/network/consensus/istanbul/machine/timeout.ts";
import type {
  MachineMessage,
  Member,
  ViewCommittee,
} from "../../../src/network/consensus/istanbul/machine/types.ts";
import type { Hash } from "../../../src/protocol/primitives/bytes.ts";
import { Random } from "../fuzz-rpc/random.ts";
import { Byzantine, TRICKS } from "./byzantine.ts";
import { EventQueue } from "./event-queue.ts";
import { FAULTS_UNTIL_MS, plan } from "./faults.ts";
import { History, type SimulatedBlock, Violation } from "./history.ts";
import { Links } from "./links.ts";
import { type Conduct, type Envelope, HONEST, type Outcome, type Setting } from "./setting.ts";
import { Validator } from "./validator.ts";

/** After the last fault, each validator of a council up to this size gets a turn to propose; then there must be new blocks. */
const MAX_TURNS = 12;
/** How many new blocks. */
const HEALED_BLOCKS = 2;
/** Additional time until they are everywhere, in milliseconds. */
const HEALED_WITHIN_MS = 30_000;
/** Then, without faults, this many blocks must follow in short intervals, in milliseconds. */
const CALM_BLOCKS = 4;
const CALM_INTERVAL_MS = 1500;
/** Maximum peers to which a new block is announced; the others poll. */
const MAX_ANNOUNCED = 10;
/** All start within this time. */
const START_MS = 2000;

/** How long a validator stays down. */
const MIN_DOWN_MS = 100;
const MAX_DOWN_MS = 10_000;

interface Committee {
  /** The proposers, in turn. */
  readonly order: readonly number[];
  readonly members: ReadonlySet<Member>;
  /** The recipients of messages about its block: itself, and the byzantine validators. */
  readonly audience: readonly number[];
}

/** Validators with links between them under one clock, all determined by one seed. */
export class World {
  readonly queue = new EventQueue();
  readonly random: Random;
  readonly links: Links;
  readonly history: History;
  readonly validators: readonly Validator[];
  readonly conduct: Conduct;
  readonly #setting: Setting;
  readonly #size: number;
  readonly #blocks = new Map<string, SimulatedBlock>();
  readonly #digests: string[] = [];
  readonly #envelopes = new Map<string, Envelope>();
  readonly #committees = new Map<number, Committee>();

  constructor(setting: Setting) {
    const { seed, validators: count } = setting;
    this.#setting = setting;
    this.#size = Math.min(count, setting.committee);
    this.random = new Random(Math.imul(seed, 0x9e3779b1));
    this.conduct = { ...HONEST, ...setting.conduct };
    this.links = new Links(count, this.random);
    const liars = new Set<number>();
    if (this.random.chance(0.6))
      for (let i = this.random.below(faultsOf(this.#size) + 1); i > 0; i--)
        liars.add(this.random.below(count));
    const ids = Array.from({ length: count }, (_, id) => id);
    this.history = new History(
      ids.map((id) => liars.has(id)),
      setting.isDrawn === true,
    );
    const genesis = this.#addBlock(0, "genesis", "", {});
    this.validators = ids.map((id) =>
      liars.has(id) ? new Byzantine(id, this, genesis, this.#someTricks()) : new Validator(id, this, genesis),
    );
  }

  /** Runs a minute of faults and the recovery. */
  run(): Outcome {
    const { queue, history } = this;
    for (const validator of this.validators)
      queue.after(this.random.next() * START_MS, () => validator.boot());
    plan(this);
    queue.after(FAULTS_UNTIL_MS, () => this.#endFaults());
    let violation: string | undefined;
    let healedAtMs = 0;
    try {
      this.#runUntil(() => queue.now >= FAULTS_UNTIL_MS, FAULTS_UNTIL_MS * 2);
      const goal = history.height + HEALED_BLOCKS;
      this.#runUntil(() => this.#isEverybodyAt(goal), queue.now + this.#turnsMs() + HEALED_WITHIN_MS);
      healedAtMs = queue.now;
      this.#runUntil(() => history.height >= goal + CALM_BLOCKS, healedAtMs + CALM_BLOCKS * CALM_INTERVAL_MS);
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      violation = error.message;
    }
    return {
      ...{ seed: this.#setting.seed, violation, history },
      healedAfterMs: healedAtMs - FAULTS_UNTIL_MS,
      ...{ blocks: history.height, highestRound: history.highestRound },
      ...{ events: queue.handled, untilMs: queue.now },
    };
  }

  // Blocks and committees, known to all validators

  /** Makes a block on another; its name contains the proposer. */
  makeBlock(
    parent: SimulatedBlock,
    name: string,
    traits: Partial<Pick<SimulatedBlock, "flaw" | "dueAt">> = {},
  ): SimulatedBlock {
    const number = parent.number + 1;
    return this.#addBlock(number, `${number}:${name}`, parent.digest, traits);
  }

  block(digest: string): SimulatedBlock {
    const block = this.#blocks.get(digest);
    if (block === undefined) throw new Error(`no block ${digest}`);
    return block;
  }

  digestOf(hash: Hash): string {
    return this.#digests[new DataView(hash.buffer).getUint32(0)] as string;
  }

  /** As after the Randao fork: one committee for all rounds of a block, whose members propose by turns. */
  committee(sequence: number, round: number): ViewCommittee {
    const { order, members } = this.#committeeOf(sequence);
    const size = this.#size;
    const quorum = quorumOf(size) - (this.#setting.missingVotes ?? 0);
    return { proposer: String(order[round % size]), members, quorum, faults: faultsOf(size) };
  }

  // Links between validators

  /** The envelope of a message; always the same for the same message. */
  seal(message: MachineMessage): Envelope {
    const { kind, from, sequence, round } = message;
    const about =
      kind === "preprepare" ? message.proposal.digest : kind === "roundChange" ? "" : message.digest;
    const key = `${from}/${kind}/${sequence}/${round}/${about}`;
    let envelope = this.#envelopes.get(key);
    if (envelope === undefined) {
      envelope = { message, reached: new Int32Array(this.validators.length) };
      this.#envelopes.set(key, envelope);
      this.history.made(message, this.committee(sequence, round).proposer);
    }
    return envelope;
  }

  /** Sends to members of the committee that the message has not reached; or to some of them. */
  send(from: Validator, envelope: Envelope, to?: readonly number[]): void {
    const { message, reached } = envelope;
    for (const id of to ?? this.#committeeOf(message.sequence).audience) {
      const receiver = this.validators[id] as Validator;
      if (receiver === from || !receiver.isUp || reached[id] === receiver.epoch) continue;
      const { kind } = message;
      const wayMs = this.links.travel(from.id, id, kind);
      if (wayMs === undefined) this.history.mark(this.queue.now, from.id, { what: "lost", kind, to: id });
      else {
        reached[id] = receiver.epoch;
        this.history.mark(this.queue.now, from.id, {
          what: "flight",
          kind,
          to: id,
          until: this.queue.now + wayMs,
        });
        this.#deliver(receiver, wayMs, () => receiver.receive(envelope, from));
        if (this.links.doubles()) this.#deliver(receiver, 2 * wayMs, () => receiver.receive(envelope, from));
      }
    }
  }

  /** Announces a new block. */
  announce(from: Validator, block: SimulatedBlock): void {
    const { validators, random } = this;
    const first = validators.length > MAX_ANNOUNCED ? random.below(validators.length) : 0;
    for (let i = 0; i < Math.min(validators.length, MAX_ANNOUNCED); i++) {
      const receiver = validators[(first + i) % validators.length] as Validator;
      if (receiver === from || !receiver.isUp || receiver.head.number >= block.number) continue;
      const wayMs = this.links.travel(from.id, receiver.id);
      if (wayMs !== undefined) this.#deliver(receiver, wayMs, () => receiver.offer(block, from));
    }
  }

  /** Whether both directions of a link are open. */
  areLinked(a: Validator, b: Validator): boolean {
    return this.links.connects(a.id, b.id) && this.links.connects(b.id, a.id);
  }

  anyOther(than: Validator): Validator {
    const { length } = this.validators;
    return this.validators[(than.id + 1 + this.random.below(length - 1)) % length] as Validator;
  }

  others(than: Validator): number[] {
    return this.validators.flatMap(({ id }) => (id === than.id ? [] : [id]));
  }

  #deliver(receiver: Validator, wayMs: number, act: () => void): void {
    const { epoch } = receiver;
    this.queue.after(wayMs, () => {
      if (receiver.epoch === epoch) act();
    });
  }

  // Start and end

  /** Makes a validator crash, and restart after a while. */
  crash(validator: Validator): void {
    if (!validator.isUp) return;
    validator.crash();
    const { epoch } = validator;
    this.queue.after(MIN_DOWN_MS + this.random.next() * MAX_DOWN_MS, () => {
      if (validator.epoch === epoch) validator.boot();
    });
  }

  #endFaults(): void {
    this.links.heal();
    this.history.fault(this.queue.now, "");
    for (const validator of this.validators) {
      validator.doom(false);
      if (validator instanceof Byzantine) validator.reform();
      else if (!validator.isUp) validator.boot();
    }
  }

  #runUntil(isReached: () => boolean, limitMs: number): void {
    const { queue, history } = this;
    while (!isReached()) {
      if (queue.now > limitMs)
        throw new Violation(
          `too late at ${(queue.now / 1000).toFixed(1)} s, with block ${history.height} as the newest`,
        );
      for (let i = 0; i < this.validators.length; i++) queue.next();
    }
  }

  /** Time for all to propose in turn, starting from their current round. */
  #turnsMs(): number {
    const round = Math.max(...this.validators.map((validator) => validator.round));
    const turns = Math.min(MAX_TURNS, this.validators.length);
    return Array.from({ length: turns + 1 }, (_, i) => roundTimeoutMs(round + i)).reduce(
      (sum, ms) => sum + ms,
      0,
    );
  }

  #isEverybodyAt(goal: number): boolean {
    return this.history.height >= goal && this.validators.every(({ head }) => head.number >= goal);
  }

  #someTricks() {
    const tricks = TRICKS.filter(() => this.random.chance(0.35));
    return tricks.length > 0 ? tricks : (["equivocates", "votesForAll"] as const);
  }

  #addBlock(
    number: number,
    digest: string,
    parent: string,
    { flaw = "none", dueAt = 0 }: Partial<Pick<SimulatedBlock, "flaw" | "dueAt">>,
  ): SimulatedBlock {
    const hash = new Uint8Array(32);
    new DataView(hash.buffer).setUint32(0, this.#digests.push(digest) - 1);
    hash[31] = 1;
    const block = { number, digest, parent, hash, flaw, dueAt };
    this.#blocks.set(digest, block);
    return block;
  }

  #committeeOf(sequence: number): Committee {
    let committee = this.#committees.get(sequence);
    if (committee === undefined) {
      const random = new Random(Math.imul(sequence + 1, 0x85ebca6b) ^ this.#setting.seed);
      const ids = this.validators.map(({ id }) => id);
      for (let i = ids.length - 1; i > 0; i--) {
        const j = random.below(i + 1);
        [ids[i], ids[j]] = [ids[j] as number, ids[i] as number];
      }
      const order = ids.slice(0, this.#size);
      const liars = this.validators.flatMap((validator) =>
        validator instanceof Byzantine ? [validator.id] : [],
      );
      const audience = [...new Set([...order, ...liars])];
      committee = { order, members: new Set(order.map(String)), audience };
      this.#committees.set(sequence, committee);
    }
    return committee;
  }
}
