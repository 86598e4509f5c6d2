import { deserialize, serialize } from "node:v8";
import type { JobSources } from "../../ledger/execution/job.ts";
import { MissingState } from "../../ledger/state/missing-state.ts";
import { decodeAccount, encodeAccount } from "../../protocol/account/account-codec.ts";
import { concat, EMPTY_BYTES } from "../../protocol/primitives/bytes.ts";
import { errorOf, failureOf, type TransferredError } from "./execution-failure.ts";

// An execution thread reads the state through the main thread, one read at a time, over shared memory: it writes the request there,
// sends a message, and blocks until the response has replaced the request. So a read costs one message and no copy through a queue,
// and each thread has at most one short read queued on the main thread.

/** Words at the start of the channel. */
const Word = { isAnswered: 0, kind: 1, offset: 2, length: 3, waitedMs: 4, isCancelled: 5 } as const;
const DATA = 32;
/** Longer responses are sent in parts. */
const PART = 1 << 16;
const Kind = { account: 0, storage: 1, code: 2, blockHash: 3 } as const;
const ABSENT = -1;
const FAILED = -2;

/** Maximum fetch time per job that does not count, so that a slow or malicious remote node cannot occupy a thread for longer. */
const MAX_FETCH_MS = 60_000;

/** Allocates the memory of a channel. */
export function createChannel(): SharedArrayBuffer {
  return new SharedArrayBuffer(DATA + PART);
}

/** The thread's side. */
export class ReadClient {
  readonly #words: Int32Array;
  readonly #data: Uint8Array;
  readonly #ring: () => void;

  /** @param ring - notifies the main thread */
  constructor(channel: SharedArrayBuffer, ring: () => void) {
    this.#words = new Int32Array(channel, 0, DATA / 4);
    this.#data = new Uint8Array(channel, DATA);
    this.#ring = ring;
  }

  /** Whether the caller of the job has disconnected. */
  get isCancelled(): boolean {
    return Atomics.load(this.#words, Word.isCancelled) === 1;
  }

  /** Milliseconds that this job has waited for state from another node. */
  get waitedMs(): number {
    return Atomics.load(this.#words, Word.waitedMs);
  }

  /** The state as the job reads it. */
  sources(): JobSources {
    return {
      state: {
        account: (address) => {
          const bytes = this.#request(Kind.account, address);
          return bytes && decodeAccount(bytes);
        },
        storage: (address, slot) => this.#request(Kind.storage, concat(address, slot)) ?? EMPTY_BYTES,
        code: (hash) => this.#request(Kind.code, hash) ?? EMPTY_BYTES,
      },
      blockHash: (number) => this.#request(Kind.blockHash, numberBytes(number)) ?? EMPTY_BYTES,
    };
  }

  #request(kind: number, key: Uint8Array): Uint8Array | undefined {
    const parts: Uint8Array[] = [];
    for (let offset = 0; ; offset += PART) {
      const length = this.#requestPart(kind, key, offset);
      if (length === ABSENT) return undefined;
      const part = this.#data.slice(0, length === FAILED ? PART : Math.min(PART, length - offset));
      if (length === FAILED) throw errorOf(deserialize(part) as TransferredError);
      parts.push(part);
      if (offset + PART >= length) return parts.length === 1 ? part : concat(...parts);
    }
  }

  #requestPart(kind: number, key: Uint8Array, offset: number): number {
    const words = this.#words;
    this.#data.set(key);
    words[Word.kind] = kind;
    words[Word.offset] = offset;
    Atomics.store(words, Word.isAnswered, 0);
    this.#ring();
    Atomics.wait(words, Word.isAnswered, 0);
    return words[Word.length] as number;
  }
}

/** The main thread's side. */
export class ReadServer {
  readonly #words: Int32Array;
  readonly #data: Uint8Array;

  constructor(channel: SharedArrayBuffer) {
    this.#words = new Int32Array(channel, 0, DATA / 4);
    this.#data = new Uint8Array(channel, DATA);
  }

  /** Remaining fetch time of the job that does not count, in milliseconds. */
  get grantMs(): number {
    return MAX_FETCH_MS - Atomics.load(this.#words, Word.waitedMs);
  }

  /** Starts a new job. */
  begin(): void {
    Atomics.store(this.#words, Word.waitedMs, 0);
    Atomics.store(this.#words, Word.isCancelled, 0);
  }

  /** Called when the caller of the job disconnects. */
  cancel(): void {
    Atomics.store(this.#words, Word.isCancelled, 1);
  }

  /** Serves the request in the channel. @returns extra milliseconds for the job */
  answer(sources: JobSources): number | Promise<number> {
    try {
      this.#give(bytesAsked(sources, this.#words[Word.kind] as number, this.#data));
      return 0;
    } catch (error) {
      if (error instanceof MissingState) return this.#fetch(sources, error);
      this.#fail(error);
      return 0;
    }
  }

  async #fetch(sources: JobSources, missing: MissingState): Promise<number> {
    const begun = performance.now();
    try {
      await missing.load();
    } catch (error) {
      this.#fail(error);
      return 0;
    }
    const grantedMs = Math.min(Math.ceil(performance.now() - begun), this.grantMs);
    Atomics.add(this.#words, Word.waitedMs, grantedMs);
    return grantedMs + (await this.answer(sources));
  }

  #give(bytes: Uint8Array | undefined): void {
    const offset = this.#words[Word.offset] as number;
    if (bytes !== undefined) this.#data.set(bytes.subarray(offset, offset + PART));
    this.#tell(bytes?.length ?? ABSENT);
  }

  #fail(error: unknown): void {
    const bytes = serialize(failureOf(error));
    this.#data.set(bytes.length <= PART ? bytes : serialize(failureOf(new Error("a read failed"))));
    this.#tell(FAILED);
  }

  #tell(length: number): void {
    this.#words[Word.length] = length;
    Atomics.store(this.#words, Word.isAnswered, 1);
    Atomics.notify(this.#words, Word.isAnswered);
  }
}

function bytesAsked({ state, blockHash }: JobSources, kind: number, key: Uint8Array): Uint8Array | undefined {
  switch (kind) {
    case Kind.account: {
      const account = state.account(key.slice(0, 20));
      return account && encodeAccount(account);
    }
    case Kind.storage:
      return state.storage(key.slice(0, 20), key.slice(20, 52));
    case Kind.code:
      return state.code(key.slice(0, 32));
    default:
      return blockHash(new DataView(key.buffer, key.byteOffset).getBigUint64(0));
  }
}

function numberBytes(number: bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, number);
  return bytes;
}
