import type { Hash } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import type { Table } from "../../database/table/table.ts";
import { StateError } from "../errors.ts";
import type { Row, StateChanges } from "../state.ts";

/** Bytes of code cached in memory. */
const CACHE_BYTES = 4 << 20;

/** The rows of new code. */
export function codeRows(codes: StateChanges["codes"]): Row[] {
  return codes.map(({ hash, code }) => ({ table: "state.code", key: hash, value: code }));
}

/** Contract code by its hash, behind an LRU cache. */
export class CodeStore {
  readonly #table: Table;
  readonly #cached = new Map<string, Uint8Array>();
  #cachedBytes = 0;

  constructor(table: Table) {
    this.#table = table;
  }

  /** The code with a hash; not to be modified. @throws StateError `STATE_DAMAGED` when it is missing */
  get(hash: Hash): Uint8Array {
    const code = this.find(hash);
    if (code) return code;
    const codeHash = bytesToHex(hash);
    throw new StateError("STATE_DAMAGED", `code ${codeHash} is missing`, { codeHash });
  }

  /** As `get`, but undefined for an unknown hash. */
  find(hash: Hash): Uint8Array | undefined {
    const name = bytesToHex(hash);
    const cached = this.#cached.get(name);
    if (cached) {
      this.#cached.delete(name);
      this.#cached.set(name, cached);
      return cached;
    }
    const code = this.#table.get(hash);
    if (code) this.#cache(name, code);
    return code;
  }

  #cache(name: string, code: Uint8Array): void {
    this.#cached.set(name, code);
    this.#cachedBytes += code.length;
    for (const [oldest, { length }] of this.#cached) {
      if (this.#cachedBytes <= CACHE_BYTES || oldest === name) break;
      this.#cached.delete(oldest);
      this.#cachedBytes -= length;
    }
  }
}
