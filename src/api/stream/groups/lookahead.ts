import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import type { StreamMessage } from "../sinks/event-sink.ts";
import type { GroupKind } from "../topics.ts";
import type { GroupSource } from "./group-source.ts";

/** The messages about one block. */
export interface PreparedBlock {
  readonly number: bigint;
  readonly messages: readonly StreamMessage[];
}

/** How much is prepared ahead of sending. */
export interface LookaheadLimits {
  /** Maximum blocks in preparation or waiting. */
  readonly blocks: number;
  /** Bytes of waiting blocks beyond which no further block is started. */
  readonly bytes: number;
}

/** Prepares the messages of blocks in order, some ahead of the one being sent. */
export class Lookahead {
  readonly #source: GroupSource;
  readonly #kinds: readonly GroupKind[];
  readonly #topics: Readonly<Record<GroupKind, string>>;
  readonly #limits: LookaheadLimits;
  readonly #blocks = new Map<bigint, { readonly made: Promise<PreparedBlock>; bytes: number }>();

  constructor(
    source: GroupSource,
    kinds: readonly GroupKind[],
    topics: Readonly<Record<GroupKind, string>>,
    limits: LookaheadLimits,
  ) {
    this.#source = source;
    this.#kinds = kinds;
    this.#topics = topics;
    this.#limits = limits;
  }

  /** Bytes of blocks that wait to be sent. */
  get bytes(): number {
    return [...this.#blocks.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** The messages of a block; starts preparing those after it. @param last - highest existing number */
  take(number: bigint, last: bigint): Promise<PreparedBlock> {
    this.#begin(number);
    const { made } = this.#blocks.get(number) as { made: Promise<PreparedBlock> };
    this.#blocks.delete(number);
    this.fill(number + 1n, last);
    return made;
  }

  /** Starts preparing blocks from a number on, as far as the limits allow. */
  fill(from: bigint, last: bigint): void {
    const { blocks, bytes } = this.#limits;
    for (let next = from; next <= last && this.#blocks.size < blocks - 1 && this.bytes <= bytes; next++)
      this.#begin(next);
  }

  /** Drops blocks from a number on, because the chain has others there. */
  dropFrom(number: bigint): void {
    for (const key of this.#blocks.keys()) if (key >= number) this.#blocks.delete(key);
  }

  #begin(number: bigint): void {
    if (this.#blocks.has(number)) return;
    const made = this.#make(number);
    const entry = { made, bytes: 0 };
    this.#blocks.set(number, entry);
    made.then(
      ({ messages }) => {
        entry.bytes = messages.reduce((sum, { value }) => sum + value.length, 0);
      },
      () => {}, // reported to the consumer
    );
  }

  async #make(number: bigint): Promise<PreparedBlock> {
    const hash = this.#source.hash(number);
    const messages: StreamMessage[] = [];
    for (const kind of this.#kinds) {
      const value = await this.#source.group(kind, number);
      if (value === undefined) continue;
      const topic = this.#topics[kind];
      const id = `${topic}/${number}/${hash === undefined ? "" : bytesToHex(hash)}`;
      messages.push({ topic, key: String(number), id, value });
    }
    return { number, messages };
  }
}
