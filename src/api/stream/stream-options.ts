import type { KafkaOptions } from "./sinks/kafka-sink.ts";
import type { NatsOptions } from "./sinks/nats-sink.ts";

/** Where and how the event stream is published. */
export interface EventStreamOptions {
  /** Destination of the stream. Default `kafka`. */
  readonly mode?: "kafka" | "nats" | "file";
  /** Waits for `chaindatafetcher_startFetching` instead of starting with the node. */
  readonly noDefault?: boolean;
  /** Maximum blocks prepared before the one being sent is acknowledged. Default 10. */
  readonly handlers?: number;
  /** Bytes of such blocks beyond which no further one is started. Default 500 MiB. */
  readonly maxBytes?: number;
  /** First word of the topics' names. Default `local`. */
  readonly environment?: string;
  /** The node's name in the topics' names. Default `en-0`. */
  readonly resource?: string;
  /** Largest segment of a message in bytes. Default 1,000,000. */
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
