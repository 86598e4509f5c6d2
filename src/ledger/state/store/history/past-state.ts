import { EMPTY_BYTES, equalBytes, type Hash } from "../../../../protocol/primitives/bytes.ts";
import { ByteTable } from "../../../database/table/byte-table.ts";
import { mergeLayers } from "../../../database/table/merge.ts";
import { StateError } from "../../errors.ts";
import type { FlatChange } from "../flat/flat-changes.ts";
import { storageRootOf } from "../flat/flat-rows.ts";
import type { FlatSource } from "../flat/flat-view.ts";
import type { Rows, TrieRows } from "../flat/frozen-rows.ts";
import type { StateTables } from "../tables.ts";
import { TrieStage } from "../trie-stage.ts";
import type { History } from "./history.ts";

/** More changed rows of recent blocks than this are not turned back for a proof: some two seconds of hashing. */
const LARGEST_REVERSAL = 50_000;
/** The same of accounts, and slots of one, of older blocks: some 100 MB, and ten seconds. */
const LARGEST_OLD_REVERSAL = 250_000;
/** Keys that are hashed in one step: some three milliseconds. */
const KEYS_A_STEP = 64;

/** Rows that are compared in one step. */
const ROWS_A_STEP = 512;

/** The tries of a past state, made by turning back the changes since. */
export interface PastTries {
  readonly root: Hash;
  readonly stage: TrieStage;
}

/** Gives the account trie, and the storage trie of the account whose address has the hash `owner`. */
type TriesOf = (owner: Hash | undefined) => PastTries;

/** State after a block before the head. Its number keeps its meaning while later blocks come. */
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
 * Makes the tries of a past state from those of the head, step by step: all of a recent one, the accounts and the storage
 * of `owner` of an older one.
 * @param frozen - rows of the head as it is now
 * @throws StateError `STATE_PRUNED`, `STATE_DAMAGED`
 */
export function* turnBack(
  frozen: TrieRows,
  history: History,
  { number, owner, headRoot }: { number: bigint; owner: Hash | undefined; headRoot: Hash },
): Generator<void, PastTries> {
  const root = history.isRecent(number) ? history.rootAfter(number) : undefined;
  const rows = root
    ? yield* history.changesSince(number, LARGEST_REVERSAL)
    : yield* history.accountsSince(number, owner, LARGEST_OLD_REVERSAL);
  const { rewinds } = history;
  const stage = new TrieStage(frozen, { rows: new ByteTable() });
  const changes: FlatChange[] = [];
  for (const [key, past] of rows.entries()) {
    if (changes.length % KEYS_A_STEP === 0) yield;
    addReversal(changes, frozen.flat, key, past);
  }
  const actual = yield* stage.hashInSteps(headRoot, changes, KEYS_A_STEP);
  if (rewinds !== history.rewinds)
    throw new StateError("STATE_PRUNED", "blocks were taken back while a proof was made", { number });
  if (root && !equalBytes(actual, root))
    throw new StateError("STATE_DAMAGED", `turning back to block ${number} gives another root`, { number });
  return { root: actual, stage };
}

/**
 * Makes the storage trie of an account stand in the tries of a past state that is not a recent one, step by step. No
 * slot of it has been changed there yet.
 * @throws StateError `STATE_PRUNED`, `STATE_DAMAGED`
 */
export function* turnStorageBack(
  { stage }: Pick<PastTries, "stage">,
  frozen: TrieRows,
  history: History,
  { number, owner }: { number: bigint; owner: Hash },
): Generator<void, void> {
  const rows = yield* history.slotsSince(number, owner, LARGEST_OLD_REVERSAL);
  const changes: FlatChange[] = [];
  for (const [key, past] of rows.entries()) {
    if (changes.length % KEYS_A_STEP === 0) yield;
    addReversal(changes, frozen.flat, key, past);
  }
  const before = storageRootOf(frozen.flat.view(owner));
  const root = changes.length === 0 ? before : yield* stage.hashSlots(owner, before, changes);
  if (equalBytes(root, storageRootOf(stage.row(owner)))) return;
  throw new StateError("STATE_DAMAGED", `storage turned back to block ${number} gives another root`, {
    number,
  });
}

/** Changes that lead from the head to the given past rows. */
export function* reversalInSteps(tables: TrieRows, rows: ByteTable): Generator<void, FlatChange[]> {
  const changes: FlatChange[] = [];
  let looked = 0;
  for (const [key, past] of rows.range(EMPTY_BYTES)) {
    addReversal(changes, tables.flat, key, past);
    if (++looked % ROWS_A_STEP === 0) yield;
  }
  return changes;
}

function addReversal(changes: FlatChange[], flat: Rows, key: Uint8Array, past: Uint8Array | null): void {
  const before = flat.view(key)?.slice();
  const isSame = before && past ? equalBytes(before, past) : !before && !past;
  if (!isSame) changes.push({ key, before, after: past });
}
