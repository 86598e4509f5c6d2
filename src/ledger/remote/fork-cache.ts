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
  readonly #asked = new Set<string>();
  readonly #file: AppendFile | undefined;
  #unwritten = "";
  #writing: Promise<void> = Promise.resolve();

  /** @param file - where the cache outlives the process; absent = memory only */
  constructor(file?: { readonly files: Files; readonly path: string }) {
    if (file === undefined) return;
    const { files, path } = file;
    for (const text of files.exists(path) ? linesOf(files.read(path)) : []) this.#take(text);
    this.#file = files.openAppend(path);
  }

  /** An account by its address as hex; null for one that does not exist, undefined when that is not known. */
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

  /** Code by its hash as hex. */
  code(codeHash: string): Uint8Array | undefined {
    return this.#codes.get(codeHash);
  }

  /** A slot by address and number as hex, joined; without leading zeros. */
  slot(key: string): Uint8Array | undefined {
    return this.#slots.get(key);
  }

  addSlot(key: string, value: Uint8Array): void {
    this.#slots.set(key, value);
    this.#write({ slot: key, value: bytesToHex(value) });
  }

  /** Hash of a block by its number as decimal digits. */
  hash(number: string): Hash | undefined {
    return this.#hashes.get(number);
  }

  addHash(number: string, hash: Hash): void {
    this.#hashes.set(number, hash);
    this.#write({ block: number, hash: bytesToHex(hash) });
  }

  /** Records that something was prefetched. @returns whether that is new */
  noteAsked(key: string): boolean {
    if (this.#asked.has(key)) return false;
    this.#asked.add(key);
    this.#write({ asked: key });
    return true;
  }

  /** Resolves when all is in the file, which is closed then. */
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

  #take(text: string): void {
    const line = parsed(text);
    if (line === undefined) return;
    if ("account" in line)
      this.#accounts.set(line.account, line.value === null ? null : decodeAccount(hexToBytes(line.value)));
    else if ("slot" in line) this.#slots.set(line.slot, hexToBytes(line.value));
    else if ("block" in line) this.#hashes.set(line.block, hexToBytes(line.hash));
    else if ("asked" in line) this.#asked.add(line.asked);
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
    // A full disk costs the cache, not the chain.
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
