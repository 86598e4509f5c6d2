import type { Blockchain } from "../../../ledger/chain/blockchain.ts";
import { createJournal } from "../../../ledger/state/journal/journal.ts";
import { retryUntilLoadedAsync } from "../../../ledger/state/missing-state.ts";
import { PinnedState } from "../../../ledger/state/pinned-state.ts";
import type { AccountChange, StateChanges, StateStore, StateView } from "../../../ledger/state/state.ts";
import { type Pace, runPaced } from "../../../platform/runtime/turns/pace.ts";
import { EMPTY_BYTES, equalBytes } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import type { Amendments } from "../amendments.ts";
import { DevError } from "../errors.ts";
import { type DumpLimits, type ReadAhead, readDump } from "./read-dump.ts";
import { dumpState, type PackLimits } from "./state-dump.ts";
import type { StateEdit } from "./state-edits.ts";

/** The first block of a development chain, and the state that it had before anything was changed. */
export interface FirstBlock {
  readonly number: bigint;
  /** Whether the chain is a fork, so that its own state is only part of the whole. */
  readonly isPart: boolean;
  /** Where a chain keeps its own state; on a fork, that is not the whole state. */
  readonly own: StateStore;
  /** The own state, as changes of an empty one. */
  changes(): StateChanges | Promise<StateChanges>;
}

/** Dependencies of state edits. */
export interface DevStateParts {
  readonly chain: Blockchain;
  readonly first: () => FirstBlock;
  readonly amendments: Amendments;
  /** Yields during long work. */
  readonly pace: Pace;
  /** On a fork, fetches from the remote node what the edits will read. */
  readonly readAhead: (reads: readonly ReadAhead[]) => Promise<void>;
  /** Whether edits may have to be undone. */
  readonly hasSnapshots: () => boolean;
}

/** The latest state of a development chain, editable by hand. */
export class DevState {
  readonly #parts: DevStateParts;

  constructor(parts: DevStateParts) {
    this.#parts = parts;
  }

  /** Edits the state of the head. Resolves when that is on disk and the pool has been revalidated. */
  edit(...edits: readonly StateEdit[]): Promise<void> {
    return this.#amend((latest) => edited(latest, edits, this.#parts.pace));
  }

  /**
   * Packs the latest state while the chain keeps running; see `dumpState`.
   * @throws StateError `STATE_STALE` when that state is edited meanwhile; DevError `STATE_SIZE`
   */
  async dump(limits: Partial<PackLimits> = {}): Promise<Uint8Array> {
    const { chain, first } = this.#parts;
    const { pace = this.#parts.pace, characters = Number.POSITIVE_INFINITY } = limits;
    const { header, hash } = chain.head;
    const { number } = header;
    const isCanonical = () => equalBytes(chain.hash(number) ?? EMPTY_BYTES, hash);
    const state = new PinnedState(chain.store, { number, isCanonical }, pace);
    const { chainId } = chain.config;
    return dumpState(state, { number, chainId, isPart: first().isPart }, { pace, characters });
  }

  /**
   * Loads a packed state: a complete one replaces the present one; one from anvil or from a fork is merged into it. On a
   * fork everything is merged.
   * @throws DevError `STATE_FORMAT`
   */
  async load(bytes: Uint8Array, limits: DumpLimits): Promise<void> {
    const loaded = await readDump(bytes, limits, this.#parts.pace);
    if (loaded.kind === "edits") {
      // Edits are restarted whenever a missing part of the state has been fetched.
      await this.#parts.readAhead(loaded.reads);
      loaded.reads.length = 0;
      await this.#amend((latest) => edited(latest, loaded.edits, this.#parts.pace), loaded.edits);
      return;
    }
    const isWhole = loaded.kind === "whole" && !this.#parts.first().isPart;
    return this.#amend((latest) => (isWhole ? replacement(latest, loaded.changes) : loaded.changes));
  }

  /** Rewinds to the first block and its state. For use within `Blockchain.exclusive`. */
  async resetToFirst(): Promise<void> {
    const { chain } = this.#parts;
    const first = this.#parts.first();
    await chain.published();
    if (chain.tip.header.number > first.number) await chain.rewind(first.number);
    const isRestored = () => equalBytes(first.own.latest().root, chain.tip.header.stateRoot);
    if (isRestored()) return;
    await first.own.amend(replacement(first.own.latest(), await first.changes())).durable;
    chain.beginGeneration();
    if (!isRestored())
      throw new DevError("RESET_FAILED", "the state of the first block cannot be reconstructed");
  }

  /** @param sources - emptied once the changes are built from them, so that a large state is not held twice */
  #amend(
    changes: (latest: StateView) => StateChanges | Promise<StateChanges>,
    sources: unknown[] = [],
  ): Promise<void> {
    const { chain, amendments, hasSnapshots, pace } = this.#parts;
    return chain.exclusive(async () => {
      const made = await retryUntilLoadedAsync(async () => changes(chain.store.latest()));
      sources.length = 0;
      await amendments.make(made, hasSnapshots(), pace);
      chain.announce();
    });
  }
}

/** The changes that turn one state into another: what the target lacks is deleted. */
function replacement(present: StateView, wanted: StateChanges): StateChanges {
  const kept = new Set(wanted.accounts.map(({ address }) => bytesToHex(address)));
  const accounts: AccountChange[] = wanted.accounts.map((change) => ({ ...change, storageCleared: true }));
  for (const { address } of present.accounts()) {
    if (kept.has(bytesToHex(address))) continue;
    accounts.push({ address: address.slice(), account: undefined, storageCleared: true, storage: [] });
  }
  return { accounts, codes: wanted.codes };
}

/** The changes that edits make, a slice of them at a time: a single one may hash megabytes of code. */
export async function edited(
  latest: StateView,
  edits: readonly StateEdit[],
  pace: Pace,
): Promise<StateChanges> {
  const journal = createJournal(latest);
  for (const edit of edits) {
    if (pace.isDue()) await pace.yield();
    edit(journal);
  }
  return runPaced(pace, journal.changesInSteps());
}
