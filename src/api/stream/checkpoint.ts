import type { Files } from "../../platform/runtime/files.ts";
import type { Cancel, Timers } from "../../platform/runtime/runtime.ts";
import { equalBytes, type Hash } from "../../protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../protocol/primitives/hex.ts";
import { StreamError } from "./errors.ts";

/** The last published block. */
export interface Published {
  /** Number of the first block that is not published yet. */
  readonly next: bigint;
  /** Hash of the block before it, if that was published; absent if the checkpoint was set by hand. */
  readonly last?: Hash | undefined;
}

/** Milliseconds between two writes: after a crash, at most the blocks of this period are published again. */
const INTERVAL_MS = 100;
/** Blocks published again if the last one is no longer in the chain: how far a chain may reorganise. */
const REACH = 128n;

/** Where the stream continues, in a file, or in memory for a chain in memory. The file may lag, but is never ahead. */
export class Checkpoint {
  readonly #files: Files;
  readonly #timers: Timers;
  readonly #path: string | undefined;
  readonly #onFailure: (error: unknown) => void;
  #current: Published | undefined;
  #writing: Promise<void> | undefined;
  #isDirty = false;
  #cancel: Cancel | undefined;

  /**
   * @param path - absent = in memory
   * @param onFailure - called when the file cannot be written; the stream continues, and tries again with the next
   * block
   * @throws StreamError `OPTION` for a file that is not a checkpoint
   */
  constructor(
    { files, timers }: { readonly files: Files; readonly timers: Timers },
    path: string | undefined,
    onFailure: (error: unknown) => void,
  ) {
    this.#files = files;
    this.#timers = timers;
    this.#path = path;
    this.#onFailure = onFailure;
    if (path !== undefined && files.exists(path)) this.#current = parse(files.read(path), path);
  }

  /** Undefined before the first block. */
  get current(): Published | undefined {
    return this.#current;
  }

  /**
   * Number of the block to continue with.
   * @param hashOf - hashes of the chain as it is now
   * @param head - number of its newest block, which a stream without a checkpoint begins with
   */
  resume(hashOf: (number: bigint) => Hash | undefined, head: bigint): bigint {
    const { next, last } = this.#current ?? { next: head };
    if (last === undefined) return atLeastOne(next);
    const now = hashOf(next - 1n);
    if (now !== undefined && equalBytes(now, last)) return next;
    const from = next > head ? head + 1n : next;
    return atLeastOne(from - REACH);
  }

  /** Records what is published; the file is written soon after. */
  set(published: Published): void {
    this.#current = published;
    this.#isDirty = true;
    this.#writeSoon();
  }

  /** Resolves once the file is up to date. */
  async flush(): Promise<void> {
    for (;;) {
      await this.#writing;
      this.#cancel?.();
      this.#cancel = undefined;
      if (!this.#isDirty) return;
      this.#begin();
    }
  }

  #writeSoon(): void {
    if (this.#path === undefined || this.#writing !== undefined || this.#cancel !== undefined) return;
    this.#cancel = this.#timers.schedule(INTERVAL_MS, () => {
      this.#cancel = undefined;
      this.#begin();
    });
  }

  /** Begins a write unless one is in progress: of two at once, the older might be the last. */
  #begin(): void {
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
      if (this.#isDirty) this.#writeSoon();
    });
  }

  async #write(): Promise<void> {
    const { next, last } = this.#current as Published;
    this.#isDirty = false;
    if (this.#path === undefined) return;
    const text = JSON.stringify({ next: String(next), ...(last && { last: bytesToHex(last) }) });
    try {
      await this.#files.replace(this.#path, new TextEncoder().encode(`${text}\n`));
    } catch (error) {
      this.#onFailure(error);
    }
  }
}

/** The genesis block has no group: it has no proposer. */
function atLeastOne(number: bigint): bigint {
  return number < 1n ? 1n : number;
}

function parse(bytes: Uint8Array, path: string): Published {
  try {
    const { next, last } = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
    if (typeof next !== "string" || !/^[0-9]{1,20}$/.test(next)) throw new Error("no number");
    if (last === undefined) return { next: BigInt(next) };
    if (typeof last !== "string" || !/^0x[0-9a-f]{64}$/.test(last)) throw new Error("no hash");
    return { next: BigInt(next), last: hexToBytes(last) };
  } catch (cause) {
    const text = `${path} is not a checkpoint of the event stream (${(cause as Error).message}); remove it to begin at the newest block`;
    throw new StreamError("OPTION", text, { path }, { cause });
  }
}
