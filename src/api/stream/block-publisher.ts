import { withoutSecrets } from "../../platform/intake/secrets.ts";
import type { Runtime } from "../../platform/runtime/runtime.ts";
import { unlessAborted } from "../../platform/runtime/unless-aborted.ts";
import type { Logger } from "../../platform/telemetry/logger.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import type { Lookahead, PreparedBlock } from "./groups/lookahead.ts";
import { retry } from "./persistence.ts";
import type { EventSink, StreamMessage } from "./sinks/event-sink.ts";
import type { StreamMeters } from "./stream-meters.ts";
import type { GroupKind } from "./topics.ts";

/** Characters shown of what a broker, or its client, says of a failure. */
const MAX_REASON = 300;

/** Dependencies of a publisher. */
export interface PublisherParts {
  readonly sink: EventSink;
  readonly topics: Readonly<Record<GroupKind, string>>;
  readonly runtime: Pick<Runtime, "clock" | "timers" | "randomness">;
  readonly logger: Logger;
  readonly meters: StreamMeters;
}

/** Publishes single blocks, one message at a time; other publishers over the same sink wait. */
export class BlockPublisher {
  readonly #parts: PublisherParts;
  #isOpen = false;
  #turn: Promise<unknown> = Promise.resolve();
  /** Distinguishes the messages of this process from those of others and of earlier ones. */
  readonly #run: string;
  #publications = 0;

  constructor(parts: PublisherParts) {
    this.#parts = parts;
    this.#run = bytesToHex(parts.runtime.randomness.bytes(8)).slice(2);
  }

  /** Prepares the messages of a block. @throws StreamError `PAUSED`; the signal's reason */
  prepare(number: bigint, last: bigint, ahead: Lookahead, signal: AbortSignal): Promise<PreparedBlock> {
    const { runtime, logger } = this.#parts;
    const complaint = "a block cannot be prepared for the event stream; retrying";
    const attempt = () => ahead.take(number, last);
    return retry({ complaint, number, attempt }, { ...runtime, logger, signal });
  }

  /**
   * Resolves once every message of a block is acknowledged. Only repetitions of one publication have the same id: a block that
   * returned to the chain, or is requested again, must not be dropped as a duplicate.
   * @throws the signal's reason
   */
  async publish({ number, messages }: PreparedBlock, signal: AbortSignal): Promise<void> {
    const { runtime, meters } = this.#parts;
    const startMs = runtime.clock.elapsed();
    const publication = `${this.#run}.${++this.#publications}`;
    for (const message of messages)
      await this.#send(number, { ...message, id: `${message.id}/${publication}` }, signal);
    meters.published(number, runtime.clock.elapsed() - startMs);
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    await this.#parts.sink.close();
  }

  async #send(number: bigint, message: StreamMessage, signal: AbortSignal): Promise<void> {
    const { sink, topics, runtime, logger, meters } = this.#parts;
    const kind = message.topic === topics.block ? "block" : "trace";
    const startMs = runtime.clock.elapsed();
    await retry(
      {
        complaint: `the event stream does not reach ${sink.place}; retrying`,
        number,
        attempt: () => this.#inTurn(() => this.#deliver(message), signal),
        counted: (failures) => meters.retried(kind, failures),
      },
      { ...runtime, logger, signal },
    );
    meters.sent(kind, runtime.clock.elapsed() - startMs, message.value.length);
  }

  /** A sink takes one message at a time. Of several that wait for the same one, the first to go on keeps the others waiting. */
  async #inTurn(deliver: () => Promise<void>, signal: AbortSignal): Promise<void> {
    let before: Promise<unknown>;
    do {
      before = this.#turn;
      await unlessAborted(before, signal);
    } while (before !== this.#turn);
    const delivery = deliver();
    this.#turn = delivery.catch(() => {});
    return delivery;
  }

  async #deliver(message: StreamMessage): Promise<void> {
    const { sink, logger } = this.#parts;
    try {
      if (!this.#isOpen) {
        await sink.open();
        this.#isOpen = true;
        logger.info("the event stream is connected", { place: sink.place });
      }
      await sink.send(message);
    } catch (error) {
      this.#isOpen = false;
      // Cut last: the beginning of a secret would not be recognised.
      if (error instanceof Error)
        error.message = withoutSecrets(error.message, sink.secrets ?? []).slice(0, MAX_REASON);
      throw error;
    }
  }
}
