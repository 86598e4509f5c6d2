import { atOnce, atPace, type Pace } from "../../../platform/runtime/turns/pace.ts";
import { keccak256 } from "../../../protocol/crypto/keccak.ts";
import { ByteTable } from "../../database/table/byte-table.ts";
import { StateError } from "../errors.ts";
import type { HashNext, ProofPlace, StateChanges, StateView } from "../state.ts";
import type { CodeStore } from "./code-store.ts";
import { nameOf } from "./flat/flat-changes.ts";
import { FlatView, headSource } from "./flat/flat-view.ts";
import type { HeadState } from "./head-state.ts";
import { changesOfRows } from "./history/block-changes.ts";
import { KeptTries, type TriesPlace } from "./history/kept-tries.ts";
import { PastState, type PastTries, turnBack, turnStorageBack } from "./history/past-state.ts";
import { Succession } from "./succession.ts";
import { TrieStage } from "./trie-stage.ts";

/** What can be read of the newest state and of past ones. Changes nothing. */
export class StateViews {
  readonly latest: StateView;
  readonly #head: HeadState;
  readonly #codes: CodeStore;
  readonly #kept = new KeptTries();

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
    { number, address }: ProofPlace,
    pace: Pace,
    use: (view: StateView | undefined) => T,
  ): Promise<T> {
    const head = this.#head;
    const place = { number, owner: address && keccak256(address) };
    if (this.#isHead(number) || !head.history.has(number) || this.#kept.find(place))
      return use(this.at(number));
    const isCurrent = head.watch();
    return head.freeze(async (frozen) => {
      const steps = turnBack(frozen, head.history, { ...place, headRoot: head.root });
      const tries = await atPace(pace, steps);
      if (isCurrent()) this.#keep(place, tries);
      return use(this.#past(number, () => tries));
    });
  }

  /** @see StateStore.succeed */
  async succeed<T>(number: bigint, pace: Pace, use: (hash: HashNext) => Promise<T>): Promise<T> {
    const { history, root } = this.#head;
    return this.#head.freeze(async (frozen) => {
      const isHead = this.#isHead(number);
      const isWhole = isHead || history.isRecent(number);
      if (!isHead && !history.has(number))
        throw new StateError("STATE_PRUNED", `the state of block ${number} is not kept`, { number });
      const tries = isHead
        ? { root, stage: new TrieStage(frozen, { rows: new ByteTable() }) }
        : await atPace(pace, turnBack(frozen, history, { number, owner: undefined, headRoot: root }));
      const brought = new Set<string>();
      const succession = new Succession(tries, function* (owner) {
        if (isWhole || brought.has(nameOf(owner))) return;
        yield* turnStorageBack(tries, frozen, history, { number, owner });
        brought.add(nameOf(owner));
      });
      return use(async (changes) => atPace(pace, succession.next(changes)));
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

  #past(number: bigint, tries: (owner: TriesPlace["owner"]) => PastTries): StateView {
    const { tables, history } = this.#head;
    return new FlatView(new PastState(tables, history, number, tries), this.#codes);
  }

  #triesOf(place: TriesPlace): PastTries {
    const kept = this.#kept.find(place);
    if (kept) return kept;
    const { tables, history, root } = this.#head;
    return this.#keep(place, atOnce(turnBack(tables, history, { ...place, headRoot: root })));
  }

  /** For a recent state these are the tries of all accounts, whichever one was requested. */
  #keep({ number, owner }: TriesPlace, tries: PastTries): PastTries {
    const isWhole = this.#head.history.isRecent(number);
    return this.#kept.keep({ number, owner: isWhole ? undefined : owner }, tries, this.#head.watch());
  }
}
