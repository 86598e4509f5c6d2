import { type Pace, runPaced, runSync } from "../../../platform/runtime/turns/pace.ts";
import { keccak256 } from "../../../protocol/crypto/keccak.ts";
import { ByteTable } from "../../database/table/byte-table.ts";
import { StateError } from "../errors.ts";
import type { HashNext, ProofTarget, StateChanges, StateView } from "../state.ts";
import type { CodeStore } from "./code-store.ts";
import { nameOf } from "./flat/flat-changes.ts";
import { FlatView, headSource } from "./flat/flat-view.ts";
import type { HeadState } from "./head-state.ts";
import { changesOfRows } from "./history/block-changes.ts";
import { PastState, type PastTries, rollBackStorage, rollBackTries } from "./history/past-state.ts";
import { PastTriesCache, type TriesTarget } from "./history/past-tries-cache.ts";
import { SuccessorHasher } from "./successor-hasher.ts";
import { TrieStage } from "./trie-stage.ts";

/** Read access to the newest state and past ones. */
export class StateViews {
  readonly latest: StateView;
  readonly #head: HeadState;
  readonly #codes: CodeStore;
  readonly #pastTries = new PastTriesCache();

  constructor(head: HeadState, codes: CodeStore) {
    this.#head = head;
    this.#codes = codes;
    this.latest = new FlatView(
      headSource(head.tables, () => head.root),
      codes,
      head.accounts,
    );
  }

  /** @see StateStore.at */
  at(number: bigint): StateView | undefined {
    if (this.#isHead(number)) return this.latest;
    if (!this.#head.history.has(number)) return undefined;
    return this.#past(number, (owner) => this.#triesOf({ number, owner }));
  }

  /** @see StateStore.prove */
  async prove<T>(
    { number, address }: ProofTarget,
    pace: Pace,
    use: (view: StateView | undefined) => T,
  ): Promise<T> {
    const head = this.#head;
    const target = { number, owner: address && keccak256(address) };
    if (this.#isHead(number) || !head.history.has(number) || this.#pastTries.find(target))
      return use(this.at(number));
    const isCurrent = head.watch();
    return head.withSnapshot(async (snapshot) => {
      const steps = rollBackTries(snapshot, head.history, { ...target, headRoot: head.root });
      const tries = await runPaced(pace, steps);
      if (isCurrent()) this.#keep(target, tries);
      return use(this.#past(number, () => tries));
    });
  }

  /** @see StateStore.hashSuccessors */
  async hashSuccessors<T>(number: bigint, pace: Pace, use: (hash: HashNext) => Promise<T>): Promise<T> {
    const { history, root } = this.#head;
    return this.#head.withSnapshot(async (snapshot) => {
      const isHead = this.#isHead(number);
      const isWhole = isHead || history.isRecent(number);
      if (!isHead && !history.has(number))
        throw new StateError("STATE_PRUNED", `the state of block ${number} is not kept`, { number });
      const tries = isHead
        ? { root, stage: new TrieStage(snapshot, { rows: new ByteTable() }) }
        : await runPaced(
            pace,
            rollBackTries(snapshot, history, { number, owner: undefined, headRoot: root }),
          );
      const loaded = new Set<string>();
      const successors = new SuccessorHasher(tries, function* (owner) {
        if (isWhole || loaded.has(nameOf(owner))) return;
        yield* rollBackStorage(tries, snapshot, history, { number, owner });
        loaded.add(nameOf(owner));
      });
      return use((changes) => successors.next(changes));
    });
  }

  /** @see StateStore.changesOf */
  changesOf(number: bigint): StateChanges {
    const { tables, history } = this.#head;
    const after = (key: Uint8Array) => {
      const row = this.#isHead(number) ? undefined : history.rowAfter(key, number);
      return row === undefined ? tables.flat.get(key) : (row ?? undefined);
    };
    return changesOfRows(history.changedBy(number), after, (hash) => this.#codes.find(hash));
  }

  #isHead(number: bigint): boolean {
    return number === this.#head.block?.number;
  }

  #past(number: bigint, tries: (owner: TriesTarget["owner"]) => PastTries): StateView {
    const { tables, history } = this.#head;
    return new FlatView(new PastState(tables, history, number, tries), this.#codes);
  }

  #triesOf(target: TriesTarget): PastTries {
    const kept = this.#pastTries.find(target);
    if (kept) return kept;
    const { tables, history, root } = this.#head;
    return this.#keep(target, runSync(rollBackTries(tables, history, { ...target, headRoot: root })));
  }

  /** The tries of a recent state cover all accounts, whichever one was requested. */
  #keep({ number, owner }: TriesTarget, tries: PastTries): PastTries {
    const isWhole = this.#head.history.isRecent(number);
    return this.#pastTries.keep({ number, owner: isWhole ? undefined : owner }, tries, this.#head.watch());
  }
}
