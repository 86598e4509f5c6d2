/** Defaults of an event stream. */
export const DEFAULT_STREAM = {
  mode: "kafka",
  handlers: 10,
  maxBytes: 500 * 1024 * 1024,
  environment: "local",
  resource: "en-0",
  segmentBytes: 1_000_000,
  messageVersion: "1.0",
} as const;

/** Defaults of Kafka. */
export const DEFAULT_KAFKA = {
  replicas: 1,
  partitions: 1,
  maxMessageBytes: 1_000_000,
  requiredAcks: "1",
  saslMechanism: "scram-sha-512",
} as const;

/** Defaults of NATS. */
export const DEFAULT_NATS = { stream: "chaindatafetcher", replicas: 1 } as const;
