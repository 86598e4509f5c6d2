import { EMPTY_BYTES, equalBytes, type Hash } from "../../../protocol/primitives/bytes.ts";
import { ByteTable } from "../../database/table/byte-table.ts";
import { mergeLayers } from "../../database/table/merge.ts";
import { StateError } from "../errors.ts";
import type { FlatChange } from "./flat-changes.ts";
import type { FlatSource } from "./flat-view.ts";
import type { Rows, TrieRows } from "./frozen-rows.ts";
import type { History } from "./history.ts";
import type { StateTables } from "./tables.ts";
import { TrieStage } from "./trie-stage.ts";

/** More changed rows than this are not turned back for a proof: some two seconds of hashing. */
const LARGEST_REVERSAL = 50_000;
/** Keys that are hashed in one step: some three milliseconds. */
const KEYS_A_STEP = 64;

/** The tries of a past state, made by turning back the changes since. */
export interface PastTries {
  readonly root: Hash;
  readonly stage: TrieStage;
}

/** State after a block before the head. Its number keeps its meaning while later blocks come. */
export class PastState implements FlatSource {
  readonly #tables: StateTables;
  readonly #history: History;
  readonly #number: bigint;
  readonly #tries: (number: bigint) => PastTries;

  constructor(tables: StateTables, history: History, number: bigint, tries: (number: bigint) => PastTries) {
    this.#tables = tables;
    this.#history = history;
    this.#number = number;
    this.#tries = tries;
  }

  get root(): Hash {
    return this.#history.rootAfter(this.#number);
  }

  row(key: Uint8Array): Uint8Array | null | undefined {
    const past = this.#history.rowAfter(key, this.#number);
    return past === undefined ? this.#tables.flat.view(key) : past;
  }

  rows(from: Uint8Array, to?: Uint8Array): Iterable<readonly [Uint8Array, Uint8Array]> {
    const past = upTo(this.#history.rowsAfter(this.#number, from), to);
    return mergeLayers([past, this.#tables.flat.range(from, to)]);
  }

  tries(): TrieStage {
    return this.#tries(this.#number).stage;
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
 * Makes the tries of a recent state from those of the head, step by step.
 * @param frozen - rows of the head as it is now
 * @throws StateError `STATE_PRUNED`, `STATE_DAMAGED`
 */
export function* turnBack(
  frozen: TrieRows,
  history: History,
  number: bigint,
  headRoot: Hash,
): Generator<void, PastTries> {
  const root = history.rootAfter(number);
  const rows = yield* history.changesSince(number, LARGEST_REVERSAL);
  const stage = new TrieStage(frozen, { rows: new ByteTable() });
  const changes: FlatChange[] = [];
  for (const [key, past] of rows.entries()) {
    if (changes.length % KEYS_A_STEP === 0) yield;
    addReversal(changes, frozen.flat, key, past);
  }
  const actual = yield* stage.hashInSteps(headRoot, changes, KEYS_A_STEP);
  if (!equalBytes(actual, root))
    throw new StateError("STATE_DAMAGED", `turning back to block ${number} gives another root`, { number });
  return { root, stage };
}

/** Changes that lead from the head to the given past rows. */
export function reversal(tables: TrieRows, rows: ByteTable): FlatChange[] {
  const changes: FlatChange[] = [];
  for (const [key, past] of rows.range(EMPTY_BYTES)) addReversal(changes, tables.flat, key, past);
  return changes;
}

function addReversal(changes: FlatChange[], flat: Rows, key: Uint8Array, past: Uint8Array | null): void {
  const before = flat.view(key)?.slice();
  const isSame = before && past ? equalBytes(before, past) : !before && !past;
  if (!isSame) changes.push({ key, before, after: past });
}
