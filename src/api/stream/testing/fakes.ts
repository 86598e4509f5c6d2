import type { SimulatedRuntime } from "../../../platform/runtime/simulated.ts";
import { type Logger, silentLogger } from "../../../platform/telemetry/logger.ts";
import { Metrics } from "../../../platform/telemetry/metrics.ts";
import type { Hash } from "../../../protocol/primitives/bytes.ts";
import { Checkpoint } from "../checkpoint.ts";
import { EventStream } from "../event-stream.ts";
import type { GroupSource } from "../groups/group-source.ts";
import type { EventSink, StreamMessage } from "../sinks/event-sink.ts";
import { createStreamMeters } from "../stream-meters.ts";

/** A chain of names: each block has one, which determines its hash and its groups. */
export class FakeChain implements GroupSource {
  /** By number; the first is the genesis block. */
  names: string[] = ["genesis"];
  /** Blocks whose groups are being prepared. */
  making = 0;
  maxMaking = 0;
  /** Thrown instead of making a group. */
  failure: Error | undefined;
  readonly #listeners = new Set<(changedFrom: bigint | undefined) => void>();

  head(): bigint {
    return BigInt(this.names.length - 1);
  }

  hash(number: bigint): Hash | undefined {
    const name = this.names[Number(number)];
    return name === undefined ? undefined : new Uint8Array(Buffer.from(name.padEnd(32, "."), "latin1"));
  }

  async group(kind: "block" | "trace", number: bigint): Promise<Uint8Array | undefined> {
    this.making++;
    this.maxMaking = Math.max(this.making, this.maxMaking);
    await Promise.resolve();
    this.making--;
    if (this.failure !== undefined) throw this.failure;
    const name = this.names[Number(number)];
    if (name === undefined) throw new Error(`no block ${number}`);
    return kind === "block" ? new TextEncoder().encode(name) : undefined;
  }

  onHead(listener: (changedFrom: bigint | undefined) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Adds blocks. */
  add(...names: string[]): void {
    this.names.push(...names);
    for (const listener of this.#listeners) listener(undefined);
  }

  /** Replaces the blocks from a number on. */
  replaceFrom(number: number, ...names: string[]): void {
    this.names = [...this.names.slice(0, number), ...names];
    for (const listener of this.#listeners) listener(BigInt(number));
  }
}

/** A broker in memory, which can be down, or slow to acknowledge. */
export class FakeBroker implements EventSink {
  readonly place = "memory";
  readonly secrets = ["secret"];
  readonly received: string[] = [];
  /** Ids of what was received. */
  readonly ids: string[] = [];
  isDown = false;
  /** Messages that are accepted, but not acknowledged. */
  fails = 0;
  /** Makes `send` wait until `acknowledge` is called. */
  isHeld = false;
  /** Maximum messages that were being sent at once. */
  maxSending = 0;
  #sending = 0;
  #held: (() => void)[] = [];

  async open(): Promise<void> {
    if (this.isDown) throw new Error("connect ECONNREFUSED");
  }

  async send({ key, value, id }: StreamMessage): Promise<void> {
    if (this.isDown) throw new Error("connection reset");
    this.ids.push(id);
    this.received.push(`${key} ${new TextDecoder().decode(value)}`);
    if (this.fails > 0) {
      this.fails--;
      throw new Error("connection reset");
    }
    if (!this.isHeld) return;
    this.maxSending = Math.max(this.maxSending, ++this.#sending);
    await new Promise<void>((resolve) => this.#held.push(resolve));
    this.#sending--;
  }

  /** Acknowledges all waiting messages. */
  acknowledge(): void {
    for (const resolve of this.#held.splice(0)) resolve();
  }

  async close(): Promise<void> {}
}

/** A stream on a simulated machine. */
export function fakeStream(
  runtime: SimulatedRuntime,
  source: FakeChain,
  sink: FakeBroker,
  path?: string,
  logger: Logger = silentLogger,
): EventStream {
  return new EventStream({
    ...{ source, sink, runtime },
    topics: { block: "blocks", trace: "traces" },
    checkpoint: new Checkpoint(runtime, path, () => {}),
    limits: { blocks: 3, bytes: 1000 },
    logger,
    meters: createStreamMeters(
      new Metrics({ now: () => runtime.clock.now(), elapsed: () => runtime.clock.elapsed() }),
    ),
  });
}
