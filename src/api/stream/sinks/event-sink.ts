/** One group of a block, on its way to a broker. */
export interface StreamMessage {
  readonly topic: string;
  /** Number of the block in decimal. */
  readonly key: string;
  /** Identical for all attempts of one publication and unique to it, so that a broker can drop duplicates. */
  readonly id: string;
  /** JSON text in UTF-8. */
  readonly value: Uint8Array;
}

/** The destination of the stream. One call at a time, apart from `close`. */
export interface EventSink {
  /** For log messages; without user names and passwords. */
  readonly place: string;
  /** What the broker is sent and may repeat, but no log may show. */
  readonly secrets?: readonly (string | undefined)[];
  /**
   * Connects, and creates what the topics need. Called before the first message and again after each failure.
   * @throws StreamError `BROKER`, and whatever the connection throws
   */
  open(): Promise<void>;
  /** Resolves once the whole message is acknowledged. @throws as `open` */
  send(message: StreamMessage): Promise<void>;
  close(): Promise<void>;
}
