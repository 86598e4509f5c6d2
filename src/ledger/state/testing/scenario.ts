import { expect } from "vitest";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import type { AccountChange, Row } from "../state.ts";
import { checkView } from "./check-view.ts";
import { SimulatedMachine, turns } from "./machine.ts";
import { hashOf, ModelState } from "./model.ts";
import { FULL_STEP, RECENT, type Step } from "./random-steps.ts";

/** The chain of states after a record of the log, to which a crash may revert. */
interface Announced {
  readonly chain: readonly ModelState[];
  readonly row: string;
}

type Mode = "full" | "archive" | "changing";

const rows = (text: string): Row[] => [{ table: "row", key: Uint8Array.of(1), value: Buffer.from(text) }];

/** A store and the models that it must agree with, whatever happens to its machine. */
export class Scenario {
  readonly machine: SimulatedMachine;
  announced: Announced[] = [{ chain: [], row: "" }];
  acknowledged = 0;
  #branch = 0;

  readonly #changesMode: boolean;
  #isArchive: boolean;

  constructor(mode: Mode) {
    this.#isArchive = mode === "archive";
    this.#changesMode = mode === "changing";
    this.machine = new SimulatedMachine({
      recentBlocks: RECENT,
      archive: this.#isArchive,
      fullStep: FULL_STEP,
    });
  }

  get chain(): readonly ModelState[] {
    return (this.announced.at(-1) as Announced).chain;
  }

  async run(step: Step): Promise<void> {
    if (step.type === "block") this.#block(step.accounts, step.discard);
    else if (step.type === "amend") this.#amend(step.accounts, step.undo);
    else if (step.type === "rewind") this.#rewind(step.blocks);
    else if (step.type === "turns") await turns(step.count);
    else this.#crash(step.keep);
  }

  /** Compares everything that the store can return with the models. */
  check(mode: Mode): void {
    const { store } = this.machine;
    const head = this.chain.length - 1;
    expect(store.head?.number ?? -1n).toBe(BigInt(head));
    store.verify();
    if (head >= 0) checkView(store.latest(), this.chain[head] as ModelState);
    const { row } = this.announced.at(-1) as Announced;
    expect(Buffer.from(store.get("row", Uint8Array.of(1)) ?? []).toString()).toBe(row);
    for (let n = 0; n < head; n++) {
      const view = store.at(BigInt(n));
      if (view) checkView(view, this.chain[n] as ModelState);
      else expect(mode === "archive" || n % FULL_STEP === 0 || n > head - 1).toBe(false);
    }
  }

  #block(accounts: readonly AccountChange[], discard: boolean): void {
    const next = (this.chain.at(-1) ?? new ModelState()).with({ accounts });
    const staged = this.machine.store.stage({ accounts, codes: [] });
    expect(bytesToHex(staged.root)).toBe(bytesToHex(next.root()));
    if (discard) return;
    const number = this.chain.length;
    const row = `${number}-${this.#branch}`;
    const { durable } = staged.commit(
      { number: BigInt(number), hash: hashOf(number, this.#branch) },
      rows(row),
    );
    this.#announce({ chain: [...this.chain, next], row }, durable);
  }

  /** Changes the newest state without a block, and optionally undoes that. */
  #amend(accounts: readonly AccountChange[], undo: boolean): void {
    const head = this.chain.at(-1);
    if (head === undefined) return;
    const { row } = this.announced.at(-1) as Announced;
    const before = this.chain;
    const amendment = this.machine.store.amend({ accounts, codes: [] });
    this.#announce({ chain: [...before.slice(0, -1), head.with({ accounts })], row }, amendment.durable);
    if (undo) this.#announce({ chain: before, row }, amendment.undo().durable);
  }

  #rewind(blocks: number): void {
    const head = this.chain.length - 1;
    const to = Math.max(head - blocks, 0);
    if (head <= 0 || !this.machine.store.at(BigInt(to))) return;
    const row = `rewound to ${to}`;
    this.#branch++;
    let durable: Promise<void>;
    try {
      ({ durable } = this.machine.store.rewind({ number: BigInt(to), hash: hashOf(to) }, rows(row)));
    } catch (error) {
      // An archive has older states than it can rewind to.
      expect(error).toMatchObject({ code: "STATE_PRUNED" });
      return;
    }
    this.#announce({ chain: this.chain.slice(0, to + 1), row }, durable);
  }

  #announce(state: Announced, durable: Promise<void>): void {
    const sequence = this.announced.push(state) - 1;
    expect(this.machine.database.sequence).toBe(sequence);
    const { database } = this.machine;
    durable.then(() => {
      // A machine that lost power acknowledges nothing.
      if (database === this.machine.database) this.acknowledged = Math.max(this.acknowledged, sequence);
    });
  }

  #crash(keep: number): void {
    this.machine.losePower((bytes) => Math.floor(bytes * keep));
    if (this.#changesMode) this.#isArchive = !this.#isArchive;
    this.machine.start({ archive: this.#isArchive });
    const { sequence } = this.machine.database;
    expect(sequence).toBeGreaterThanOrEqual(this.acknowledged);
    this.announced = this.announced.slice(0, sequence + 1);
    this.acknowledged = sequence;
  }
}
