import type { Hash } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import type { Table } from "../../database/table/table.ts";
import { StateError } from "../errors.ts";
import type { Row, StateChanges } from "../state.ts";

/** Codes in memory, in bytes. */
const KEPT_BYTES = 4 << 20;

/** The rows of new code. */
export function codeRows(codes: StateChanges["codes"]): Row[] {
  return codes.map(({ hash, code }) => ({ table: "state.code", key: hash, value: code }));
}

/** Contract code by its hash, with the recently used ones in memory. */
export class CodeStore {
  readonly #table: Table;
  readonly #kept = new Map<string, Uint8Array>();
  #keptBytes = 0;

  constructor(table: Table) {
    this.#table = table;
  }

  /** The code of a hash; the caller does not change it. @throws StateError `STATE_DAMAGED` */
  get(hash: Hash): Uint8Array {
    const code = this.find(hash);
    if (code) return code;
    const codeHash = bytesToHex(hash);
    throw new StateError("STATE_DAMAGED", `code ${codeHash} is missing`, { codeHash });
  }

  /** The same; undefined for a hash that no code has. */
  find(hash: Hash): Uint8Array | undefined {
    const name = bytesToHex(hash);
    const kept = this.#kept.get(name);
    if (kept) {
      this.#kept.delete(name);
      this.#kept.set(name, kept);
      return kept;
    }
    const code = this.#table.get(hash);
    if (code) this.#keep(name, code);
    return code;
  }

  #keep(name: string, code: Uint8Array): void {
    this.#kept.set(name, code);
    this.#keptBytes += code.length;
    for (const [oldest, { length }] of this.#kept) {
      if (this.#keptBytes <= KEPT_BYTES || oldest === name) break;
      this.#kept.delete(oldest);
      this.#keptBytes -= length;
    }
  }
}
