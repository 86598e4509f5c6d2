import type { Hash } from "../../protocol/primitives/bytes.ts";
import type {
  Amendment,
  Row,
  StagedState,
  StateChanges,
  StateCounts,
  StateStore,
  StateView,
  StoreStats,
  StoreUse,
  TableSize,
} from "../state/state.ts";
import type { ForkPoint } from "./fork-point.ts";
import { ForkedView } from "./forked-view.ts";
import { overlayChanges } from "./overlay-changes.ts";
import type { RemoteState } from "./remote-state.ts";

/**
 * The state of a chain that goes on from a block of another chain. What this node changes is in a store of its own, with
 * history, tables and all; the rest is read from the other chain. Roots and proofs cover the store's part alone.
 */
export class ForkedStateStore implements StateStore {
  readonly #own: StateStore;
  readonly #point: ForkPoint;
  readonly #remote: RemoteState;
  readonly #latest: StateView;

  constructor(own: StateStore, point: ForkPoint, remote: RemoteState) {
    this.#own = own;
    this.#point = point;
    this.#remote = remote;
    this.#latest = new ForkedView(own.latest(), remote);
  }

  get head(): StateStore["head"] {
    return this.#own.head;
  }

  latest(): StateView {
    return this.#latest;
  }

  at(number: bigint): StateView | undefined {
    if (number === this.head?.number) return this.#latest;
    const own = number < this.#point.number ? undefined : this.#own.at(number);
    return own && new ForkedView(own, this.#remote);
  }

  stage(changes: StateChanges): StagedState {
    return this.#own.stage(overlayChanges(changes, this.#own.latest(), this.#remote));
  }

  amend(changes: StateChanges): Amendment {
    return this.#own.amend(overlayChanges(changes, this.#own.latest(), this.#remote));
  }

  rewind(to: { number: bigint; hash: Hash }, rows: readonly Row[]): { readonly durable: Promise<void> } {
    return this.#own.rewind(to, rows);
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

  verify(): StateCounts {
    return this.#own.verify();
  }

  tableSizes(): ReadonlyMap<string, TableSize> {
    return this.#own.tableSizes();
  }

  use(): StoreUse {
    return this.#own.use();
  }

  stats(): StoreStats {
    return this.#own.stats();
  }

  close(): Promise<void> {
    return this.#own.close();
  }
}
