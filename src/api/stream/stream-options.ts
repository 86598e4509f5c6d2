import type { KafkaOptions } from "./sinks/kafka-sink.ts";
import type { NatsOptions } from "./sinks/nats-sink.ts";

/** Where and how the event stream is published. */
export interface EventStreamOptions {
  /** Destination of the stream. */
  readonly mode?: "kafka" | "nats" | "file";
  /** Waits for `chaindatafetcher_startFetching` instead of starting with the node. */
  readonly noDefault?: boolean;
  /** Maximum blocks prepared before the one being sent is acknowledged. */
  readonly handlers?: number;
  /** Bytes of such blocks beyond which no further one is started. */
  readonly maxBytes?: number;
  /** First word of the topics' names. */
  readonly environment?: string;
  /** The node's name in the topics' names. */
  readonly resource?: string;
  /** Largest segment of a message in bytes. */
  readonly segmentBytes?: number;
  /** Form of the messages' headers: `1.0`, or `legacy` without version and producer. */
  readonly messageVersion?: "1.0" | "legacy";
  /** Distinguishes producers of one topic; by default random. */
  readonly producerId?: string;
  readonly kafka?: KafkaOptions;
  readonly nats?: NatsOptions;
  /** Path of the file that mode `file` appends to. */
  readonly file?: string;
}
