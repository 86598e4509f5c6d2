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

/**
 * A cache of the immutable state after one block of a remote chain: in memory, and in a file of JSON lines. Invalid
 * lines, as after a crash, are skipped.
 */
export class ForkCache {
  readonly #accounts = new Map<string, Account | null>();
  readonly #codes = new Map<string, Uint8Array>();
  readonly #slots = new Map<string, Uint8Array>();
  readonly #hashes = new Map<string, Hash>();
  readonly #prefetched = new Set<string>();
  readonly #file: AppendFile | undefined;
  #unwritten = "";
  #writing: Promise<void> = Promise.resolve();

  /** @param file - file that keeps the cache across restarts; absent = memory only */
  constructor(file?: { readonly files: Files; readonly path: string }) {
    if (file === undefined) return;
    const { files, path } = file;
    for (const text of files.exists(path) ? linesOf(files.read(path)) : []) this.#load(text);
    this.#file = files.openAppend(path);
  }

  /** An account by hex address; null if it does not exist, undefined if not cached. */
  account(address: string): Account | null | undefined {
    return this.#accounts.get(address);
  }

  addAccount(address: string, account: Account | undefined, code: Uint8Array): void {
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
    this.#slots.set(key, value);
    this.#write({ slot: key, value: bytesToHex(value) });
  }

  /** Hash of a block by decimal number. */
  hash(number: string): Hash | undefined {
    return this.#hashes.get(number);
  }

  addHash(number: string, hash: Hash): void {
    this.#hashes.set(number, hash);
    this.#write({ block: number, hash: bytesToHex(hash) });
  }

  /** Records that something has been prefetched. @returns whether it had not been before */
  markPrefetched(key: string): boolean {
    if (this.#prefetched.has(key)) return false;
    this.#prefetched.add(key);
    this.#write({ asked: key });
    return true;
  }

  /** Resolves when everything has been written and the file is closed. */
  async close(): Promise<void> {
    await this.#writing;
    this.#file?.close();
  }

  #addCode(codeHash: Hash, code: Uint8Array): void {
    const key = bytesToHex(codeHash);
    if (this.#codes.has(key)) return;
    this.#codes.set(key, code);
    this.#write({ code: bytesToHex(code) });
  }

  #load(text: string): void {
    const line = parsed(text);
    if (line === undefined) return;
    if ("account" in line)
      this.#accounts.set(line.account, line.value === null ? null : decodeAccount(hexToBytes(line.value)));
    else if ("slot" in line) this.#slots.set(line.slot, hexToBytes(line.value));
    else if ("block" in line) this.#hashes.set(line.block, hexToBytes(line.hash));
    else if ("asked" in line) this.#prefetched.add(line.asked);
    else if ("code" in line) {
      const code = hexToBytes(line.code);
      this.#codes.set(bytesToHex(keccak256(code)), code);
    }
  }

  #write(line: Line): void {
    if (this.#file === undefined) return;
    this.#unwritten += `${JSON.stringify(line)}\n`;
    this.#writing = this.#writing.then(() => this.#flush());
  }

  async #flush(): Promise<void> {
    if (this.#unwritten === "") return;
    const bytes = new TextEncoder().encode(this.#unwritten);
    this.#unwritten = "";
    // A full disk only makes the cache incomplete.
    await this.#file?.append(bytes).catch(() => {});
  }
}

function linesOf(bytes: Uint8Array): string[] {
  return new TextDecoder().decode(bytes).split("\n");
}

function parsed(text: string): Line | undefined {
  try {
    return text === "" ? undefined : (JSON.parse(text) as Line);
  } catch {
    return undefined;
  }
}
