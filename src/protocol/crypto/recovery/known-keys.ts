import { equalBytes } from "../../primitives/bytes.ts";
import { bytesToHex } from "../../primitives/hex.ts";
import { LruMap } from "../../primitives/lru.ts";
import { KeyTables, MAX_TABLES, TOGETHER } from "./key-tables.ts";
import { asNumbers, type Possible, type SignedHash } from "./signed-hash.ts";
import { range, type Workspace } from "./workspace.ts";

/** Signatures in a row by which a signer's key is given a table, which costs as much as it saves on four. */
const WORTH_TABLE = 8;
/** The same if another key has to give up its table, or if no other keys are due, with which writing one costs a quarter. */
const WORTH_MORE = 32;
/** Signers whose last key is known. */
const MAX_SIGNERS = 1024;
/** Below this many signatures the inversions that they share cost more than is saved. */
const WORTH_CONFIRMING = 8;

interface Seen {
  readonly key: Uint8Array;
  /** Signatures with this key since the last with another. */
  times: number;
}

interface Known {
  readonly key: Uint8Array;
  readonly table: number;
}

/** The keys of those who sign often. A signature that fits the last key of its signer needs no recovery. */
export class KnownKeys {
  readonly #tables: KeyTables;
  readonly #seen = new LruMap<string, Seen>(MAX_SIGNERS);
  /** By signer, the least recently used first. */
  readonly #known = new Map<string, Known>();
  readonly #due = new Map<string, Seen>();
  readonly #unused = range(MAX_TABLES);

  constructor(space: Workspace) {
    this.#tables = new KeyTables(space);
  }

  /** The keys of the signatures that fit the known key of who is said to have signed, 64 bytes each; undefined for all others. */
  find(signed: readonly SignedHash[]): (Uint8Array | undefined)[] {
    const keys: (Uint8Array | undefined)[] = new Array(signed.length).fill(undefined);
    if (this.#known.size === 0) return keys;
    const asked: Possible[] = [];
    const known: Known[] = [];
    for (const [i, each] of signed.entries()) {
      const own = each.recid > 1 ? undefined : this.#knownOf(each);
      const possible = own && asNumbers(each, i);
      if (own === undefined || possible === undefined) continue;
      asked.push(possible);
      known.push(own);
    }
    if (asked.length < WORTH_CONFIRMING) return keys;
    const fit = this.#tables.confirm(
      asked,
      known.map(({ table }) => table),
    );
    for (const [i, { index }] of asked.entries()) if (fit[i]) keys[index] = known[i]?.key;
    return keys;
  }

  /** Takes note of a recovered key. Where the known key of who is said to have signed is another, it is forgotten. */
  note({ by }: Pick<SignedHash, "by">, key: Uint8Array): void {
    if (by === undefined) return;
    const signer = bytesToHex(by);
    const known = this.#known.get(signer);
    if (known !== undefined) {
      if (equalBytes(known.key, key)) return;
      this.#forget(signer);
    }
    let seen = this.#seen.get(signer);
    if (seen === undefined || !equalBytes(seen.key, key)) {
      seen = { key, times: 0 };
      this.#seen.set(signer, seen);
      this.#due.delete(signer);
    }
    seen.times++;
    if (seen.times < (this.#unused.length > 0 ? WORTH_TABLE : WORTH_MORE)) return;
    this.#due.set(signer, seen);
    if (this.#due.size === TOGETHER || seen.times >= WORTH_MORE) this.#writeTables();
  }

  #writeTables(): void {
    const due = [...this.#due];
    this.#due.clear();
    const tables = due.map(() => this.#takeTable());
    this.#tables.write(
      due.map(([, { key }]) => key),
      tables,
    );
    for (const [i, [signer, seen]] of due.entries()) {
      seen.times = 0;
      this.#known.set(signer, { key: seen.key, table: tables[i] as number });
    }
  }

  #takeTable(): number {
    const [oldest] = this.#known.keys();
    if (this.#unused.length === 0 && oldest !== undefined) this.#forget(oldest);
    return this.#unused.pop() as number;
  }

  #forget(signer: string): void {
    this.#unused.push((this.#known.get(signer) as Known).table);
    this.#known.delete(signer);
  }

  #knownOf({ by }: SignedHash): Known | undefined {
    if (by === undefined) return undefined;
    const signer = bytesToHex(by);
    const known = this.#known.get(signer);
    if (known === undefined) return undefined;
    // To the end: the first is the one that was not used for longest.
    this.#known.delete(signer);
    this.#known.set(signer, known);
    return known;
  }
}
