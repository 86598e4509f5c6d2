import { EMPTY_BYTES, equalBytes, type Hash } from "../../../../protocol/primitives/bytes.ts";
import { ByteTable } from "../../../database/table/byte-table.ts";
import { mergeLayers } from "../../../database/table/merge.ts";
import { StateError } from "../../errors.ts";
import type { FlatChange } from "../flat/flat-changes.ts";
import { storageRootOf } from "../flat/flat-rows.ts";
import type { FlatSource } from "../flat/flat-view.ts";
import type { Rows, TrieRows } from "../flat/row-snapshot.ts";
import type { StateTables } from "../tables.ts";
import { TrieStage } from "../trie-stage.ts";
import type { History } from "./history.ts";

/** Most rows of recent blocks that are rolled back for a proof: some two seconds of hashing. */
const MAX_REVERSAL_ROWS = 50_000;
/** Most rows of older blocks, of all accounts and the slots of one: some 100 MB and ten seconds. */
const MAX_OLD_REVERSAL_ROWS = 250_000;
/** Keys hashed per step: some three milliseconds. */
const KEYS_PER_STEP = 64;

/** Rows compared per step. */
const ROWS_PER_STEP = 512;

/** The tries of a past state, rebuilt by rolling back the changes since. */
export interface PastTries {
  readonly root: Hash;
  readonly stage: TrieStage;
}

/** Returns the account trie, together with the storage trie of the account with hashed address `owner`. */
type TriesOf = (owner: Hash | undefined) => PastTries;

/** State after a block below the head; stays valid as the chain grows. */
export class PastState implements FlatSource {
  readonly #tables: StateTables;
  readonly #history: History;
  readonly #number: bigint;
  readonly #tries: TriesOf;

  constructor(tables: StateTables, history: History, number: bigint, tries: TriesOf) {
    this.#tables = tables;
    this.#history = history;
    this.#number = number;
    this.#tries = tries;
  }

  get root(): Hash {
    const isRecent = this.#history.isRecent(this.#number);
    return isRecent ? this.#history.rootAfter(this.#number) : this.#tries(undefined).root;
  }

  row(key: Uint8Array): Uint8Array | null | undefined {
    const past = this.#history.rowAfter(key, this.#number);
    return past === undefined ? this.#tables.flat.view(key) : past;
  }

  rows(from: Uint8Array, to?: Uint8Array): Iterable<readonly [Uint8Array, Uint8Array]> {
    const past = upTo(this.#history.rowsAfter(this.#number, from), to);
    return mergeLayers([past, this.#tables.flat.range(from, to)]);
  }

  tries(owner: Hash): TrieStage {
    return this.#tries(owner).stage;
  }
}

function* upTo(
  rows: Iterable<readonly [Uint8Array, Uint8Array | null]>,
  to: Uint8Array | undefined,
): Generator<readonly [Uint8Array, Uint8Array | null]> {
  for (const row of rows) {
    if (to && Buffer.compare(row[0], to) >= 0) return;
    yield row;
  }
}

/**
 * Rebuilds the tries of a past state from those of the head, in steps: all of them for a recent state, the account trie
 * and the storage trie of `owner` for an older one.
 * @param snapshot - rows of the current head
 * @throws StateError `STATE_PRUNED`, `STATE_DAMAGED`
 */
export function* rollBackTries(
  snapshot: TrieRows,
  history: History,
  { number, owner, headRoot }: { number: bigint; owner: Hash | undefined; headRoot: Hash },
): Generator<void, PastTries> {
  const root = history.isRecent(number) ? history.rootAfter(number) : undefined;
  const rows = root
    ? yield* history.changesSince(number, MAX_REVERSAL_ROWS)
    : yield* history.accountsSince(number, owner, MAX_OLD_REVERSAL_ROWS);
  const { rewinds } = history;
  const stage = new TrieStage(snapshot, { rows: new ByteTable() });
  const changes: FlatChange[] = [];
  for (const [key, past] of rows.entries()) {
    if (changes.length % KEYS_PER_STEP === 0) yield;
    addReversal(changes, snapshot.flat, key, past);
  }
  const actual = yield* stage.hashInSteps(headRoot, changes, KEYS_PER_STEP);
  if (rewinds !== history.rewinds)
    throw new StateError("STATE_PRUNED", "the chain was rewound while a past state was being rebuilt", {
      number,
    });
  if (root && !equalBytes(actual, root))
    throw new StateError("STATE_DAMAGED", `rolling back to block ${number} gives another root`, { number });
  return { root: actual, stage };
}

/**
 * Adds the storage trie of an account to the rebuilt tries of an older state, in steps. None of its slots may have been
 * changed there yet.
 * @throws StateError `STATE_PRUNED`, `STATE_DAMAGED`
 */
export function* rollBackStorage(
  { stage }: Pick<PastTries, "stage">,
  snapshot: TrieRows,
  history: History,
  { number, owner }: { number: bigint; owner: Hash },
): Generator<void, void> {
  const rows = yield* history.slotsSince(number, owner, MAX_OLD_REVERSAL_ROWS);
  const changes: FlatChange[] = [];
  for (const [key, past] of rows.entries()) {
    if (changes.length % KEYS_PER_STEP === 0) yield;
    addReversal(changes, snapshot.flat, key, past);
  }
  const before = storageRootOf(snapshot.flat.view(owner));
  const root = changes.length === 0 ? before : yield* stage.hashSlots(owner, before, changes);
  if (equalBytes(root, storageRootOf(stage.row(owner)))) return;
  throw new StateError("STATE_DAMAGED", `storage rolled back to block ${number} gives another root`, {
    number,
  });
}

/** Changes that lead from the head to the given past rows. */
export function* reversalInSteps(tables: TrieRows, rows: ByteTable): Generator<void, FlatChange[]> {
  const changes: FlatChange[] = [];
  let looked = 0;
  for (const [key, past] of rows.range(EMPTY_BYTES)) {
    addReversal(changes, tables.flat, key, past);
    if (++looked % ROWS_PER_STEP === 0) yield;
  }
  return changes;
}

function addReversal(changes: FlatChange[], flat: Rows, key: Uint8Array, past: Uint8Array | null): void {
  const before = flat.view(key)?.slice();
  const isSame = before && past ? equalBytes(before, past) : !before && !past;
  if (!isSame) changes.push({ key, before, after: past });
}
