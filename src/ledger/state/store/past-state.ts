import { EMPTY_BYTES, equalBytes, type Hash } from "../../../protocol/primitives/bytes.ts";
import type { ByteTable } from "../../database/table/byte-table.ts";
import { mergeLayers } from "../../database/table/merge.ts";
import { StateError } from "../errors.ts";
import type { FlatChange } from "./flat-changes.ts";
import type { FlatSource } from "./flat-view.ts";
import type { History } from "./history.ts";
import type { StateTables } from "./tables.ts";
import { TrieStage } from "./trie-stage.ts";

/** More changed rows than this are not turned back for a proof: some two seconds of hashing. */
const LARGEST_REVERSAL = 50_000;

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
 * Makes the tries of a recent state from those of the head.
 * @throws StateError `STATE_PRUNED`, `STATE_DAMAGED`
 */
export function turnBack(tables: StateTables, history: History, number: bigint, headRoot: Hash): PastTries {
  const rows = history.changedSince(number);
  if (rows.size > LARGEST_REVERSAL)
    throw new StateError("STATE_PRUNED", `too much has changed since block ${number} for a proof`, {
      number,
    });
  const root = history.rootAfter(number);
  const stage = new TrieStage(tables, { rows });
  const actual = stage.hashAll(headRoot, reversal(tables, rows));
  if (!equalBytes(actual, root))
    throw new StateError("STATE_DAMAGED", `turning back to block ${number} gives another root`, { number });
  return { root, stage };
}

/** Changes that lead from the head to the given past rows. */
export function reversal(tables: StateTables, rows: ByteTable): FlatChange[] {
  const changes: FlatChange[] = [];
  for (const [key, past] of rows.range(EMPTY_BYTES)) {
    const before = tables.flat.get(key);
    const isSame = before && past ? equalBytes(before, past) : !before && !past;
    if (!isSame) changes.push({ key, before, after: past });
  }
  return changes;
}
