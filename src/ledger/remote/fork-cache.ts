import type { AppendFile, Files } from "../../platform/runtime/files.ts";
import type { Account } from "../../protocol/account/account.ts";
import { decodeAccount, encodeAccount } from "../../protocol/account/account-codec.ts";
import { keccak256 } from "../../protocol/crypto/keccak.ts";
import type { Hash } from "../../protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../protocol/primitives/hex.ts";

/** One cached value of the remote chain, as a line of the file. */
type Line =
  | { readonly account: string; readonly value: string | null }
  | { readonly code: string }
  | { readonly slot: string; readonly value: string }
  | { readonly block: string; readonly hash: string }
  | { readonly asked: string };

/** Bytes kept in memory, estimated. */
const MAX_BYTES = 1 << 30;
/** Estimate of what an entry takes besides code. */
const ENTRY_BYTES = 300;
/** Bytes of the file: it is read as a whole. */
const MAX_FILE_BYTES = 1 << 28;

/** Limits of a cache, in bytes. */
export interface ForkCacheLimits {
  readonly memory: number;
  readonly file: number;
}

/**
 * A cache of the immutable state after one block of a remote chain: in memory, and in a file of JSON lines. Invalid
 * lines, as after a crash, are skipped. A full file is not added to.
 */
export class ForkCache {
  readonly #accounts = new Map<string, Account | null>();
  readonly #codes = new Map<string, Uint8Array>();
  readonly #slots = new Map<string, Uint8Array>();
  readonly #hashes = new Map<string, Hash>();
  readonly #prefetched = new Set<string>();
  readonly #file: AppendFile | undefined;
  readonly #limits: ForkCacheLimits;
  #isKept = true;
  #bytes = 0;
  #fileBytes = 0;
  #unwritten = "";
  #writing: Promise<void> = Promise.resolve();

  /** @param file - file that keeps the cache across restarts; absent = memory only */
  constructor(
    file?: { readonly files: Files; readonly path: string },
    limits: ForkCacheLimits = { memory: MAX_BYTES, file: MAX_FILE_BYTES },
  ) {
    this.#limits = limits;
    if (file === undefined) return;
    const { files, path } = file;
    const kept = files.exists(path) ? files.read(path) : new Uint8Array(0);
    this.#fileBytes = kept.length;
    for (const text of linesOf(kept.subarray(0, limits.file))) this.#load(text);
    this.#file = files.openAppend(path);
  }

  /** Whether there is room for more: nothing is ever evicted, since what has been read must stay the same. */
  get hasRoom(): boolean {
    return this.#bytes < this.#limits.memory;
  }

  /** An account by hex address; null if it does not exist, undefined if not cached. */
  account(address: string): Account | null | undefined {
    return this.#accounts.get(address);
  }

  addAccount(address: string, account: Account | undefined, code: Uint8Array): void {
    this.#bytes += ENTRY_BYTES;
    this.#accounts.set(address, account ?? null);
    if (code.length > 0 && account !== undefined) this.#addCode(account.codeHash, code);
    this.#write({
      account: address,
      value: account === undefined ? null : bytesToHex(encodeAccount(account)),
    });
  }

  /** Code by hex hash. */
  code(codeHash: string): Uint8Array | undefined {
    return this.#codes.get(codeHash);
  }

  /** Value of a slot, without leading zeros, by the concatenated hex of address and slot. */
  slot(key: string): Uint8Array | undefined {
    return this.#slots.get(key);
  }

  addSlot(key: string, value: Uint8Array): void {
    this.#bytes += ENTRY_BYTES;
    this.#slots.set(key, value);
    this.#write({ slot: key, value: bytesToHex(value) });
  }

  /** Hash of a block by decimal number. */
  hash(number: string): Hash | undefined {
    return this.#hashes.get(number);
  }

  addHash(number: string, hash: Hash): void {
    this.#bytes += ENTRY_BYTES;
    this.#hashes.set(number, hash);
    this.#write({ block: number, hash: bytesToHex(hash) });
  }

  /** Records that something has been prefetched. @returns whether it had not been before, and there is room for what it brings */
  markPrefetched(key: string): boolean {
    if (this.#prefetched.has(key) || !this.hasRoom) return false;
    this.#bytes += ENTRY_BYTES;
    this.#prefetched.add(key);
    this.#write({ asked: key });
    return true;
  }

  /** From now on nothing is added to the file: what comes next is not from the node that it belongs to. */
  keepNoMore(): void {
    this.#isKept = false;
  }

  /** Resolves when everything has been written and the file is closed. */
  async close(): Promise<void> {
    await this.#writing;
    this.#file?.close();
  }

  #addCode(codeHash: Hash, code: Uint8Array): void {
    const key = bytesToHex(codeHash);
    if (this.#codes.has(key)) return;
    this.#bytes += code.length;
    this.#codes.set(key, code);
    this.#write({ code: bytesToHex(code) });
  }

  #load(text: string): void {
    try {
      if (text === "") return;
      this.#take(JSON.parse(text) as Line);
      this.#bytes += ENTRY_BYTES;
    } catch {
      // Not a line of ours.
    }
  }

  #take(line: Line): void {
    if ("account" in line)
      this.#accounts.set(line.account, line.value === null ? null : decodeAccount(hexToBytes(line.value)));
    else if ("slot" in line) this.#slots.set(line.slot, hexToBytes(line.value));
    else if ("block" in line) this.#hashes.set(line.block, hexToBytes(line.hash));
    else if ("asked" in line) this.#prefetched.add(line.asked);
    else if ("code" in line) {
      const code = hexToBytes(line.code);
      this.#bytes += code.length;
      this.#codes.set(bytesToHex(keccak256(code)), code);
    }
  }

  #write(line: Line): void {
    if (this.#file === undefined || !this.#isKept) return;
    this.#unwritten += `${JSON.stringify(line)}\n`;
    this.#writing = this.#writing.then(() => this.#flush());
  }

  async #flush(): Promise<void> {
    if (this.#unwritten === "") return;
    const bytes = new TextEncoder().encode(this.#unwritten);
    this.#unwritten = "";
    this.#fileBytes += bytes.length;
    if (this.#fileBytes > this.#limits.file) return;
    // A full disk only makes the cache incomplete.
    await this.#file?.append(bytes).catch(() => {});
  }
}

function linesOf(bytes: Uint8Array): string[] {
  return new TextDecoder().decode(bytes).split("\n");
}
