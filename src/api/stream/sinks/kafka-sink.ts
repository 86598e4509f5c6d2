import type * as KafkaJs from "kafkajs";
import type { Logger } from "../../../platform/telemetry/logger.ts";
import { StreamError } from "../errors.ts";
import { DEFAULT_KAFKA } from "../stream-defaults.ts";
import { BrokerSockets, type BrokerTarget } from "./broker-sockets.ts";
import type { EventSink, StreamMessage } from "./event-sink.ts";
import { loadKafka } from "./kafka-client.ts";
import { partitionOf } from "./key-partition.ts";
import { type Producer, segmentHeaders, segmentsOf } from "./segments.ts";

/** A Kafka cluster and how messages are written to it. */
export interface KafkaOptions {
  /** `host:port` of some brokers; the others are learnt from these. */
  readonly brokers?: readonly string[];
  /** Replicas of each partition of a topic that does not exist yet. Default 1. */
  readonly replicas?: number;
  /** Of a topic that does not exist yet. */
  readonly partitions?: number;
  /** Maximum message that the brokers accept, including headers. */
  readonly maxMessageBytes?: number;
  /** Required acknowledgements of a message: 0 none, 1 the leader of its partition, -1 all in-sync replicas. */
  readonly requiredAcks?: "0" | "1" | "-1";
  /** Whether the connection is encrypted. */
  readonly tls?: boolean;
  /** File of certificate authorities to trust instead of the system's. */
  readonly tlsCa?: string;
  readonly saslMechanism?: "plain" | "scram-sha-256" | "scram-sha-512";
  readonly saslUsername?: string;
  /** File with the password in its first line. */
  readonly saslPasswordFile?: string;
}

/** Options with what was read from files. */
export interface KafkaSinkOptions extends Omit<KafkaOptions, "tlsCa" | "saslPasswordFile"> {
  readonly brokers: readonly string[];
  readonly topics: readonly string[];
  readonly producer: Producer;
  readonly segmentBytes: number;
  readonly ca?: string | undefined;
  readonly password?: string | undefined;
}

const CONNECT_MS = 5_000;
const REQUEST_MS = 15_000;
/** Bytes of a record batch besides the value of its one message: headers, key and lengths. */
const OVERHEAD = 512;

/** Sends messages to Kafka, each segment acknowledged before the next. */
export class KafkaSink implements EventSink {
  readonly place: string;
  readonly secrets: readonly (string | undefined)[];
  readonly #options: KafkaSinkOptions;
  readonly #logger: Logger;
  #sockets: BrokerSockets | undefined;
  #producer: KafkaJs.Producer | undefined;

  constructor(options: KafkaSinkOptions, logger: Logger) {
    this.#options = options;
    this.#logger = logger;
    this.secrets = [options.password];
    this.place = `kafka ${options.brokers.join(",")}`;
  }

  async open(): Promise<void> {
    await this.close();
    this.#sockets = new BrokerSockets(this.#options.brokers);
    const client = this.#client(this.#sockets);
    await this.#createTopics(client);
    const producer = client.producer({
      allowAutoTopicCreation: false,
      createPartitioner: () => choosePartition,
      retry: { retries: 0 },
    });
    this.#producer = producer;
    await producer.connect();
  }

  async send({ topic, key, value }: StreamMessage): Promise<void> {
    const {
      segmentBytes,
      maxMessageBytes = DEFAULT_KAFKA.maxMessageBytes,
      producer,
      requiredAcks = DEFAULT_KAFKA.requiredAcks,
    } = this.#options;
    const size = Math.min(segmentBytes, maxMessageBytes - OVERHEAD);
    for (const segment of segmentsOf(value, size)) {
      const bytes = Buffer.from(segment.bytes.buffer, segment.bytes.byteOffset, segment.bytes.length);
      const headers = Object.fromEntries(segmentHeaders(segment, producer));
      const record = { topic, acks: Number(requiredAcks), timeout: REQUEST_MS };
      if (this.#producer === undefined) throw new StreamError("BROKER", "the connection is closed");
      const answers = await this.#producer.send({ ...record, messages: [{ key, value: bytes, headers }] });
      if (record.acks !== 0 && !answers.some(({ topicName }) => topicName === topic))
        throw new StreamError("BROKER", `the broker did not acknowledge a message of ${topic}`);
    }
  }

  async close(): Promise<void> {
    const producer = this.#producer;
    this.#producer = undefined;
    this.#sockets?.close(); // also while `open` is in progress, which then fails
    await producer?.disconnect().catch(() => {});
  }

  async #createTopics(client: KafkaJs.Kafka): Promise<void> {
    const {
      topics,
      partitions = DEFAULT_KAFKA.partitions,
      replicas = DEFAULT_KAFKA.replicas,
    } = this.#options;
    const admin = client.admin({ retry: { retries: 0 } });
    try {
      await admin.connect();
      const missing: string[] = [];
      for (const topic of topics) if (!(await topicExists(admin, topic))) missing.push(topic);
      if (missing.length === 0) return;
      const wanted = missing.map((topic) => ({
        topic,
        numPartitions: partitions,
        replicationFactor: replicas,
      }));
      await admin.createTopics({ topics: wanted, timeout: REQUEST_MS });
      this.#logger.info("topics were created", { topics: missing, partitions, replicas });
    } finally {
      await admin.disconnect().catch(() => {});
    }
  }

  #client(sockets: BrokerSockets): KafkaJs.Kafka {
    const { brokers, tls, ca, producer } = this.#options;
    const { Kafka, logLevel } = loadKafka();
    return new Kafka({
      clientId: producer.id,
      brokers: [...brokers],
      connectionTimeout: CONNECT_MS,
      authenticationTimeout: CONNECT_MS,
      requestTimeout: REQUEST_MS,
      enforceRequestTimeout: true,
      retry: { retries: 0 },
      socketFactory: (target) => sockets.connect(target as BrokerTarget),
      logLevel: logLevel.WARN,
      logCreator: () => (entry) =>
        this.#logger.debug("kafka client", { text: entry.log.message, from: entry.namespace }),
      ...(tls && { ssl: ca === undefined ? true : { ca } }),
      ...this.#sasl(),
    });
  }

  #sasl(): { sasl?: KafkaJs.SASLOptions } {
    const { saslMechanism, saslUsername: username, password } = this.#options;
    if (username === undefined || password === undefined) return {};
    return {
      sasl: {
        mechanism: saslMechanism ?? DEFAULT_KAFKA.saslMechanism,
        username,
        password,
      } as KafkaJs.SASLOptions,
    };
  }
}

/** Requests a single topic: a cluster may have more of them than fit into the largest response. */
async function topicExists(admin: KafkaJs.Admin, topic: string): Promise<boolean> {
  try {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    return topics.some(({ name }) => name === topic);
  } catch (error) {
    if ((error as { readonly type?: unknown }).type === "UNKNOWN_TOPIC_OR_PARTITION") return false;
    throw error;
  }
}

function choosePartition({ message, partitionMetadata }: KafkaJs.PartitionerArgs): number {
  return partitionOf(Buffer.from(message.key ?? ""), partitionMetadata.length);
}
