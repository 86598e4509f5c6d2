import { type Pace, runSync } from "../../platform/runtime/turns/pace.ts";
import type { Hash } from "../../protocol/primitives/bytes.ts";
import { stableState } from "../state/stable-state.ts";
import type {
  Amendment,
  HashNext,
  ProofTarget,
  Row,
  StagedState,
  StateChanges,
  StateCounts,
  StateStore,
  StateView,
  StoreStats,
  StoreUsage,
  TableSize,
} from "../state/state.ts";
import { StateOverlay } from "../state/state-overlay.ts";
import type { ForkPoint } from "./fork-point.ts";
import { ForkedView } from "./forked-view.ts";
import { overlayChanges } from "./overlay-changes.ts";
import type { RemoteState } from "./remote-state.ts";

/** A remote chain at the block from which it was forked. */
export interface ForkedState {
  readonly point: ForkPoint;
  readonly state: RemoteState;
}

/**
 * The state of a chain forked from a block of a remote chain. Local changes are in a store of their own, with history and
 * tables; the rest is read from the remote chain. State roots cover the local part only. Without a remote chain, it behaves
 * as the local store.
 */
export class ForkedStateStore implements StateStore {
  #own: StateStore;
  #fork: ForkedState | undefined;
  #latest: StateView;

  constructor(own: StateStore, fork: ForkedState | undefined) {
    this.#own = own;
    this.#fork = fork;
    this.#latest = this.#over(own.latest());
  }

  /** The local part of the state, and all tables. */
  get own(): StateStore {
    return this.#own;
  }

  /** Switches to another store and remote chain. @returns the previous store, which the caller must close */
  replace(own: StateStore, fork: ForkedState | undefined): StateStore {
    const before = this.#own;
    this.#own = own;
    this.#fork = fork;
    this.#latest = this.#over(own.latest());
    return before;
  }

  get health(): StateStore["health"] {
    return this.#own.health;
  }

  get head(): StateStore["head"] {
    return this.#own.head;
  }

  get isArchive(): boolean {
    return this.#own.isArchive;
  }

  latest(): StateView {
    return this.#latest;
  }

  at(number: bigint): StateView | undefined {
    if (number === this.head?.number) return this.#latest;
    const own = number < (this.#fork?.point.number ?? 0n) ? undefined : this.#own.at(number);
    return own && this.#over(own);
  }

  code(hash: Hash): Uint8Array | undefined {
    return this.#own.code(hash);
  }

  async prove<T>({ number }: ProofTarget, _: Pace, use: (view: StateView | undefined) => T): Promise<T> {
    return use(this.at(number));
  }

  hashSuccessors<T>(number: bigint, pace: Pace, use: (hash: HashNext) => Promise<T>): Promise<T> {
    const [own, fork] = [this.#own, this.#fork];
    if (fork === undefined) return own.hashSuccessors(number, pace, use);
    const before = new StateOverlay(stableState((asked) => own.at(asked), number));
    return own.hashSuccessors(number, pace, (hash) =>
      use(function* (changes) {
        const local = overlayChanges(changes, before, fork.state);
        before.add(local);
        return yield* hash(local);
      }),
    );
  }

  changesOf(number: bigint): StateChanges {
    return this.#own.changesOf(number);
  }

  watch(): () => boolean {
    const own = this.#own;
    const isCurrent = own.watch();
    return () => own === this.#own && isCurrent();
  }

  stage(changes: StateChanges): StagedState {
    return runSync(this.stageInSteps(changes));
  }

  *stageInSteps(changes: StateChanges): Generator<void, StagedState> {
    const own = this.#own;
    const staged = yield* own.stageInSteps(this.#overlaid(changes));
    const isCurrent = () => own === this.#own && staged.isCurrent;
    return {
      root: staged.root,
      get isCurrent() {
        return isCurrent();
      },
      commit: (block, rows) => staged.commit(block, rows),
      commitInSteps: (block, rows) => staged.commitInSteps(block, rows),
    };
  }

  amend(changes: StateChanges): Amendment {
    return this.#own.amend(this.#overlaid(changes));
  }

  amendAtPace(changes: StateChanges, pace: Pace): Promise<Amendment> {
    return this.#own.amendAtPace(this.#overlaid(changes), pace);
  }

  rewind(to: { number: bigint; hash: Hash }, rows: readonly Row[]): { readonly durable: Promise<void> } {
    return this.#own.rewind(to, rows);
  }

  rewindInSteps(number: bigint): Generator<void, StateStore["rewind"]> {
    return this.#own.rewindInSteps(number);
  }

  atomically(action: () => void): Promise<void> {
    return this.#own.atomically(action);
  }

  get(table: string, key: Uint8Array): Uint8Array | undefined {
    return this.#own.get(table, key);
  }

  range(
    table: string,
    from: Uint8Array,
    to: Uint8Array,
    reverse?: boolean,
  ): Iterable<[Uint8Array, Uint8Array]> {
    return this.#own.range(table, from, to, reverse);
  }

  write(rows: readonly Row[]): Promise<void> {
    return this.#own.write(rows);
  }

  verify(onAccount?: (key: Uint8Array) => void): StateCounts {
    return this.#own.verify(onAccount);
  }

  tableSizes(): ReadonlyMap<string, TableSize> {
    return this.#own.tableSizes();
  }

  use(): StoreUsage {
    return this.#own.use();
  }

  stats(): StoreStats {
    return this.#own.stats();
  }

  copyTo(directory: string): Promise<void> {
    return this.#own.copyTo(directory);
  }

  close(): Promise<void> {
    return this.#own.close();
  }

  #over(own: StateView): StateView {
    return this.#fork ? new ForkedView(own, this.#fork.state) : own;
  }

  #overlaid(changes: StateChanges): StateChanges {
    return this.#fork ? overlayChanges(changes, this.#own.latest(), this.#fork.state) : changes;
  }
}
