import { nativeAddon, type RootDatabase } from "lmdb";
import type { StoredRow } from "../store.ts";
import { shortenWriteError } from "./short-message.ts";

/** The part of lmdb's native module that its own `put` uses; lmdb exports it, but does not declare its type. */
declare module "lmdb" {
  const nativeAddon: {
    /** Address of a buffer's first byte. */
    getBufferAddress(buffer: Buffer): number;
    /** Throws the error for a status of LMDB. */
    lmdbError(status: number): never;
  };
}

/** What lmdb's database objects have besides their declared members. */
interface NativeParts {
  readonly db: { readonly dbi: number };
  /** Executes instructions in a thread of libuv's pool, as one transaction. */
  readonly env: { startWriting(address: number, report: (status: number) => void): void };
}

/** Size of a chunk of instructions and values; longer rows get one of their own. */
const CHUNK_BYTES = 1 << 16;
/** Instructions of lmdb's writing thread, see its `src/writer.cpp`: the next one is elsewhere, delete a row, put a row. */
const [NEXT_CHUNK, DELETE, PUT] = [3, 13, 15];
/** The word before the end of the instructions receives the transaction's number, so that they must not end where a chunk begins. */
const START = 8;
/** What follows the last instruction of a chunk: `NEXT_CHUNK` and the address, or zeros, which end the batch. */
const END_BYTES = 16;
/** Flags, table and key length; then, after the key, at least 5 zeros, the value's length and its address. */
const [HEAD_BYTES, AFTER_KEY, ADDRESS_BYTES] = [12, 16, 8];
/** Reports before the end. */
const COMMITTING = 1;

interface Chunk {
  readonly bytes: Buffer;
  readonly words: Uint32Array;
  readonly numbers: Float64Array;
  readonly address: number;
}

/**
 * A batch as lmdb's writing thread takes it. `put` of lmdb writes the same, but only within one call of `batch`, so that a flush of 30,000
 * rows, each with a promise and two objects, would hold the event loop for 20 ms; here rows are added in any number of turns, and are
 * handed over with one call.
 */
export class WriteBatch {
  readonly #table: number;
  readonly #chunks: Chunk[] = [];
  #last: Chunk;
  /** Offset of the next instruction, a multiple of 8. */
  #at = START;
  /** Offset of the values, which are placed from the chunk's end downwards. */
  #values: number;

  /** @param env - the environment that the batch is for, or one on the same file */
  constructor(env: RootDatabase<Uint8Array, Uint8Array>) {
    this.#table = (env as unknown as NativeParts).db.dbi;
    this.#last = this.#startChunk(CHUNK_BYTES);
    this.#values = CHUNK_BYTES;
  }

  /** Adds a row, which is copied. @param key - 1 to 1,978 bytes */
  add({ key, value }: StoredRow): void {
    const length = value?.length ?? 0;
    const most = HEAD_BYTES + key.length + AFTER_KEY + ADDRESS_BYTES + length + END_BYTES;
    if (this.#at + most > this.#values)
      this.#continueIn(this.#startChunk(Math.max(CHUNK_BYTES, START + most)));
    const { bytes, words, numbers, address } = this.#last;
    const word = this.#at >>> 2;
    words[word] = value ? PUT : DELETE;
    words[word + 1] = this.#table;
    words[word + 2] = key.length;
    bytes.set(key, this.#at + HEAD_BYTES);
    this.#at = (this.#at + HEAD_BYTES + key.length + AFTER_KEY) & ~7;
    if (!value) return;
    this.#values -= length;
    bytes.set(value, this.#values);
    words[(this.#at >>> 2) - 1] = length;
    numbers[this.#at >>> 3] = address + this.#values;
    this.#at += ADDRESS_BYTES;
  }

  /** Writes all rows as one transaction. Resolves once they are on disk. @throws Error of LMDB: none of them are */
  commit(env: RootDatabase<Uint8Array, Uint8Array>): Promise<void> {
    shortenWriteError();
    return new Promise((resolve, reject) => {
      const chunks = this.#chunks;
      (env as unknown as NativeParts).env.startWriting((chunks[0] as Chunk).address + START, (status) => {
        if (status === COMMITTING) return;
        chunks.length = 0; // held until here, as only the writing thread refers to them
        if (status === 0) resolve();
        else reject(errorOf(status));
      });
    });
  }

  #startChunk(size: number): Chunk {
    const buffer = new ArrayBuffer((size + 7) & ~7);
    const bytes = Buffer.from(buffer);
    const chunk = {
      ...{ bytes, words: new Uint32Array(buffer), numbers: new Float64Array(buffer) },
      address: nativeAddon.getBufferAddress(bytes),
    };
    this.#chunks.push(chunk);
    return chunk;
  }

  #continueIn(chunk: Chunk): void {
    const { words, numbers } = this.#last;
    words[this.#at >>> 2] = NEXT_CHUNK;
    numbers[(this.#at + 8) >>> 3] = chunk.address + START;
    this.#last = chunk;
    this.#at = START;
    this.#values = chunk.bytes.length;
  }
}

function errorOf(status: number): Error {
  try {
    return nativeAddon.lmdbError(status);
  } catch (error) {
    return error as Error;
  }
}
