import { numberKey } from "../../../database/table/number-key.ts";
import type { Table } from "../../../database/table/table.ts";
import { keyNumber } from "../tables.ts";

/** Rows of the head table: the eras, and the start of the archive as stored by versions without eras. */
const ERAS_KEY = Buffer.from("eras");
const ARCHIVE_FROM_KEY = Buffer.from("archive");
const ERA_BYTES = 16;

/** Which historical states are kept from a block on: every `step`-th one, and the one the era begins with. */
export interface Era {
  readonly from: bigint;
  readonly step: bigint;
}

/**
 * Which historical states are kept permanently, since the history began. A new era begins whenever the node's history
 * mode changes.
 */
export class Eras {
  readonly #table: Table;
  #list: Era[] = [];

  constructor(table: Table) {
    this.#table = table;
    const row = table.get(ERAS_KEY);
    for (let at = 0; row && at < row.length; at += ERA_BYTES)
      this.#list.push({
        from: keyNumber(row.subarray(at, at + 8)),
        step: keyNumber(row.subarray(at + 8, at + 16)),
      });
    const archiveFrom = table.get(ARCHIVE_FROM_KEY);
    if (!row && archiveFrom) this.#list.push({ from: keyNumber(archiveFrom), step: 1n });
  }

  /** The current era; undefined before the first. */
  get last(): Era | undefined {
    return this.#list.at(-1);
  }

  /** Begins the first era, discarding all others. */
  restart(era: Era): void {
    this.#list = [era];
    this.#put();
  }

  /** Begins a new era at `era.from`. */
  begin(era: Era): void {
    this.#list.push(era);
    this.#put();
  }

  /** Rewinds to block `number`, the new head; the current mode stays in force. */
  rewind(number: bigint): void {
    const last = this.last;
    if (!last || last.from <= number) return;
    while (this.last && this.last.from > number) this.#list.pop();
    if (this.last?.step !== last.step) this.#list.push({ from: number, step: last.step });
    this.#put();
  }

  /** The era responsible for the rows overwritten by block `number`: the last that began before it. */
  ofChange(number: bigint): Era | undefined {
    return this.#list.findLast(({ from }) => from < number);
  }

  /** Whether the state after a block is kept permanently. */
  keeps(number: bigint): boolean {
    const era = this.#list.findLast(({ from }) => from <= number);
    return era !== undefined && (number === era.from || number % era.step === 0n);
  }

  #put(): void {
    const row = new Uint8Array(ERA_BYTES * this.#list.length);
    for (const [i, { from, step }] of this.#list.entries()) {
      row.set(numberKey(from), ERA_BYTES * i);
      row.set(numberKey(step), ERA_BYTES * i + 8);
    }
    this.#table.put(ERAS_KEY, row);
  }
}

/** Block of the newest state before block `number` that an era keeps. */
export function keptBefore(number: bigint, { from, step }: Era): bigint {
  const kept = ((number - 1n) / step) * step;
  return kept > from ? kept : from;
}
