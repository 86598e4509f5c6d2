import type {
  MachineMessage,
  PreprepareMessage,
  VoteMessage,
} from "../../../src/network/consensus/istanbul/machine/types.ts";
import type { SimulatedBlock } from "./history.ts";
import type { Envelope } from "./setting.ts";
import { Validator } from "./validator.ts";
import type { World } from "./world.ts";

/** How a validator lies. Messages of others cannot be forged, as they are signed. */
export type Trick =
  /** Sends nothing. */
  | "silent"
  /** Proposes different blocks to different validators: new ones, and those that others proposed before. */
  | "equivocates"
  /** Proposes out of turn. */
  | "usurps"
  /** Votes for whatever is proposed, in both phases, each time only to some of the others. */
  | "votesForAll"
  /** Commits to only one other, so that only that one decides. */
  | "withholds"
  /** Proposes blocks that are invalid, that fail in execution, or are from the future. */
  | "proposesWrong"
  /** Requests the next round, or a distant one. */
  | "callsRounds";

/** All tricks. */
export const TRICKS: readonly Trick[] = [
  ...(["silent", "equivocates", "usurps", "votesForAll"] as const),
  ...(["withholds", "proposesWrong", "callsRounds"] as const),
];

const FAR_ROUND = 1000;
const LATEST_MS = 4000;

/** A validator that follows the chain like the others, and lies to them until it becomes honest. */
export class Byzantine extends Validator {
  #tricks: ReadonlySet<Trick>;
  /** Blocks proposed for the next height, by digest. */
  readonly #seen = new Map<string, SimulatedBlock>();
  /** Its votes, and its proposals out of turn, so that each is sent once. */
  readonly #voted = new Set<string>();
  #made = 0;

  constructor(id: number, world: World, genesis: SimulatedBlock, tricks: readonly Trick[]) {
    super(id, world, genesis);
    this.#tricks = new Set(tricks);
  }

  /** Becomes honest: restarts without its past messages. */
  reform(): void {
    this.crash();
    this.#tricks = new Set();
    this.forget();
    this.boot();
  }

  override receive(envelope: Envelope, from: Validator): void {
    super.receive(envelope, from);
    const { message } = envelope;
    if (this.#tricks.size === 0 || message.sequence !== this.head.number + 1) return;
    if (message.kind === "roundChange") {
      if (this.#tricks.has("callsRounds") && this.world.random.chance(0.1)) this.#callRound(message);
      return;
    }
    this.#remember(message);
    if (this.#tricks.has("usurps")) this.#usurp(message);
    if (this.#tricks.has("votesForAll")) this.#voteFor(message);
  }

  protected override leave(message: MachineMessage): void {
    const tricks = this.#tricks;
    if (tricks.has("silent")) return;
    if (message.kind === "preprepare" && (tricks.has("equivocates") || tricks.has("proposesWrong")))
      this.#propose(message);
    else if (message.kind === "commit" && tricks.has("withholds"))
      this.#whisper(message, [this.world.anyOther(this).id]);
    else super.leave(message);
  }

  #remember(message: PreprepareMessage | VoteMessage): void {
    if (message.kind !== "preprepare") return;
    const block = this.world.block(message.proposal.digest);
    for (const { number, digest } of this.#seen.values())
      if (number !== block.number) this.#seen.delete(digest);
    this.#seen.set(block.digest, block);
  }

  #usurp({ sequence, round }: PreprepareMessage | VoteMessage): void {
    const view = `${sequence}/${round}`;
    if (this.#voted.has(view)) return;
    this.#voted.add(view);
    const message = {
      kind: "preprepare",
      from: this.name,
      sequence,
      round,
      proposal: this.#another({}),
    } as const;
    this.#whisper(message, this.#someOthers());
  }

  #voteFor(message: PreprepareMessage | VoteMessage): void {
    const digest = message.kind === "preprepare" ? message.proposal.digest : message.digest;
    const { sequence, round } = message;
    const vote = { from: this.name, sequence, round, digest };
    const key = `${sequence}/${round}/${digest}`;
    if (this.#voted.has(key)) return;
    this.#voted.add(key);
    this.#whisper({ ...vote, kind: "prepare" }, this.#someOthers());
    this.#whisper({ ...vote, kind: "commit" }, this.#someOthers());
  }

  #propose(message: PreprepareMessage): void {
    const blocks = [this.#alternative(message), this.#alternative(message)];
    const first = new Set(this.#someOthers());
    const others = this.world.others(this).filter((id) => !first.has(id));
    for (const [block, to] of [[blocks[0], [...first]] as const, [blocks[1], others] as const]) {
      if (block === undefined) continue;
      this.#whisper({ ...message, proposal: block }, to);
      if (this.#tricks.has("votesForAll")) this.#voteFor({ ...message, proposal: block });
    }
  }

  #alternative({ proposal }: PreprepareMessage): SimulatedBlock {
    const { random, queue } = this.world;
    const own = this.world.block(proposal.digest);
    const seen = [...this.#seen.values()].filter(({ number }) => number === proposal.number);
    if (this.#tricks.has("equivocates") && seen.length > 0 && random.chance(0.5)) return random.pick(seen);
    if (!this.#tricks.has("proposesWrong") || random.chance(0.3))
      return random.chance(0.5) ? own : this.#another({});
    if (random.chance(0.3)) return this.#another({ dueAt: queue.now + random.below(LATEST_MS) });
    return this.#another({ flaw: random.chance(0.5) ? "invalid" : "failing" });
  }

  #another(traits: Partial<Pick<SimulatedBlock, "flaw" | "dueAt">>): SimulatedBlock {
    return this.world.makeBlock(this.head, `${this.id}.${this.epoch}x${this.#made++}`, traits);
  }

  #callRound({ sequence, round }: MachineMessage): void {
    const ahead = this.world.random.chance(0.2) ? FAR_ROUND : 1 + this.world.random.below(2);
    const message = { kind: "roundChange", from: this.name, sequence, round: round + ahead } as const;
    this.#whisper(message, this.#someOthers());
  }

  #someOthers(): number[] {
    return this.world.others(this).filter(() => this.world.random.chance(0.5));
  }

  #whisper(message: MachineMessage, to: readonly number[]): void {
    this.world.send(this, this.world.seal(message), to);
  }
}
