import type { Blockchain } from "../../../src/ledger/chain/blockchain.ts";
import type { RawConsensusMessage } from "../../../src/network/consensus/istanbul/engine/validator-peer.ts";
import { digestOf, openMessage } from "../../../src/network/consensus/istanbul/messages/open-message.ts";
import { createSimulatedRuntime, type SimulatedRuntime } from "../../../src/platform/runtime/simulated.ts";
import { bytesToHex } from "../../../src/protocol/primitives/hex.ts";
import { Random } from "../fuzz-rpc/random.ts";
import { Violation } from "./history.ts";
import { Links } from "./links.ts";
import { Payments } from "./payments.ts";
import { SIMULATED, type Surroundings, WHOLE_NODES, WholeNode } from "./whole-node.ts";

/** After the genesis of the recorded network. */
const START_MS = 1_900_000_000_000;
/** Duration of the phase of faults, and of one fault. */
const FAULTS_MS = 20_000;
const SPAN_MS = [500, 3000] as const;
const DOWN_MS = [50, 4000] as const;
/** Interval at which a node polls whether others are ahead. */
const ASK_MS = 100;
/** Interval at which payers resubmit their unmined payments. */
const PAY_MS = 300;
/** Blocks that every node must reach after the last fault, within this time. */
const HEALED_BLOCKS = 2n;
const HEALED_WITHIN_MS = 300_000;

/** The result of a run. */
export interface WholeOutcome {
  readonly violation: string | undefined;
  readonly blocks: number;
  readonly powerLosses: number;
  readonly diskErrors: number;
  readonly payments: number;
  readonly healedAfterMs: number;
}

/** Four whole nodes with links between them under one clock, all determined by one seed. */
export class WholeNetwork implements Surroundings {
  readonly runtime: SimulatedRuntime;
  readonly random: Random;
  readonly nodes: readonly WholeNode[];
  readonly forgets: boolean;
  readonly #links: Links;
  readonly #payments = new Payments();
  readonly #decided: string[] = [];
  readonly #votes = new Map<string, string>();
  readonly #judged = new WeakSet<RawConsensusMessage>();
  #violation: string | undefined;
  #powerLosses = 0;
  #diskErrors = 0;
  #areFaultsOver = false;

  constructor(seed: number, forgets = false) {
    this.forgets = forgets;
    this.runtime = createSimulatedRuntime({ startMs: START_MS, seed });
    this.random = new Random(Math.imul(seed, 0x9e3779b1));
    this.#links = new Links(WHOLE_NODES, this.random);
    this.nodes = Array.from({ length: WHOLE_NODES }, (_, index) => new WholeNode(index, this));
  }

  async run(): Promise<WholeOutcome> {
    performance.now = () => 0; // time slices use this clock and never end here
    for (const node of this.nodes) {
      await node.start();
      this.#ask(node);
    }
    this.#pay();
    this.#plan();
    await this.#until(() => this.#elapsedMs >= FAULTS_MS, FAULTS_MS * 2);
    this.#areFaultsOver = true;
    this.#links.heal();
    this.#payments.end();
    const goal = BigInt(this.#decided.length) + HEALED_BLOCKS;
    const isEverywhere = () =>
      this.#payments.areAllShown &&
      this.nodes.every(({ chain }) => chain !== undefined && chain.head.header.number >= goal);
    await this.#until(isEverywhere, FAULTS_MS + HEALED_WITHIN_MS);
    for (const { index, chain } of this.nodes) {
      const wrong = chain && this.#payments.audit(chain);
      if (wrong !== undefined) this.#violation ??= `validator ${index}: ${wrong}`;
    }
    return {
      ...{ violation: this.#violation, blocks: this.#decided.length - 1 },
      ...{ powerLosses: this.#powerLosses, diskErrors: this.#diskErrors, payments: this.#payments.shown },
      healedAfterMs: this.#elapsedMs - FAULTS_MS,
    };
  }

  pass(from: WholeNode, to: WholeNode, message: RawConsensusMessage): void {
    this.#judge(message);
    const wayMs = this.#links.travel(from.index, to.index);
    if (wayMs !== undefined) this.runtime.timers.schedule(wayMs, () => to.receive(from, message));
  }

  get #elapsedMs(): number {
    return this.runtime.clock.elapsed() - START_MS;
  }

  async #until(isMet: () => boolean, limitMs: number): Promise<void> {
    while (this.#violation === undefined && !isMet()) {
      if (this.#elapsedMs > limitMs) this.#violation = `too late, with ${this.#decided.length - 1} blocks`;
      await this.runtime.advance(100);
      this.#lookAtChains();
    }
  }

  /** Detects validators that vote for two blocks in one view, even across restarts. */
  #judge(message: RawConsensusMessage): void {
    if (this.#judged.has(message)) return;
    this.#judged.add(message);
    const { content, sender } = openMessage(message.payload, () => true);
    if (content.kind === "roundChange") return;
    const view = `${bytesToHex(sender)} in round ${content.round} of block ${content.sequence}`;
    const digest = bytesToHex(digestOf(content));
    const before = this.#votes.get(view) ?? digest;
    this.#votes.set(view, before);
    if (before !== digest) this.#violation ??= `two blocks are named by ${view}`;
  }

  #lookAtChains(): void {
    for (const { index, chain } of this.nodes) {
      if (chain === undefined) continue;
      const news: number[] = [];
      for (let number = Number(chain.head.header.number); number >= 0; number--) {
        const hash = bytesToHex(chain.hash(BigInt(number)) ?? new Uint8Array());
        const before = this.#decided[number];
        if (before === hash) break;
        if (before !== undefined) this.#violation ??= `validator ${index} has another block ${number}`;
        this.#decided[number] = hash;
        news.push(number);
      }
      for (const number of news.reverse()) this.#showPayments(chain, number);
    }
  }

  #showPayments(chain: Blockchain, number: number): void {
    const block = number === 0 ? undefined : chain.block(BigInt(number));
    const wrong = block && this.#payments.show(block);
    if (wrong !== undefined) this.#violation ??= wrong;
  }

  /** Payers repeatedly submit unmined payments to any node. */
  #pay(): void {
    this.runtime.timers.schedule(PAY_MS, () => {
      void this.random
        .pick(this.nodes)
        .submit(this.#payments.due())
        .catch(() => {}); // it has lost power, or its disk failed
      this.#pay();
    });
  }

  #plan(): void {
    this.#later(SPAN_MS, () => {
      if (this.#areFaultsOver) return;
      this.#links.heal();
      this.#fault();
      this.#plan();
    });
  }

  #fault(): void {
    const { random } = this;
    const node = random.pick(this.nodes);
    const kind = random.below(6);
    if (kind < 2) this.#losePower(node);
    else if (kind === 2) for (const each of this.nodes) this.#losePower(each);
    else if (kind === 3) {
      this.#diskErrors++;
      node.failDisk();
    } else if (kind === 4) this.#links.lose(0.4 * random.next());
    else
      for (const { index } of this.nodes) {
        if (index === node.index) continue;
        this.#links.cut(index, node.index);
        this.#links.cut(node.index, index);
      }
  }

  #losePower(node: WholeNode): void {
    if (node.chain === undefined) return;
    this.#lookAtChains();
    this.#powerLosses++;
    const shown = node.losePower();
    this.#startLater(node, shown);
  }

  #startLater(node: WholeNode, shown: ReturnType<WholeNode["losePower"]>): void {
    this.#later(DOWN_MS, () => {
      node
        .start()
        .then(() => node.holds(shown))
        .catch((error: Error) => {
          if (error instanceof Violation) this.#violation ??= error.message;
          else if (!error.message.includes(SIMULATED))
            this.#violation ??= `validator ${node.index} does not start: ${error.stack}`;
          else {
            node.losePower();
            this.#startLater(node, shown); // its disk failed during the start
          }
        });
    });
  }

  /** Sends missing blocks from one node to another, as between real nodes. */
  #ask(node: WholeNode): void {
    this.runtime.timers.schedule(ASK_MS, async () => {
      const other = this.random.pick(this.nodes);
      if (other !== node && this.#links.connects(other.index, node.index)) await node.catchUp(other);
      this.#ask(node);
    });
  }

  #later([min, max]: readonly [number, number], act: () => void): void {
    this.runtime.timers.schedule(min + this.random.next() * (max - min), act);
  }
}
