import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type * as KafkaJs from "kafkajs";
import { afterEach, beforeEach, expect, it, onTestFinished } from "vitest";
import { createSimulatedRuntime } from "../../../platform/runtime/simulated.ts";
import { systemRuntime } from "../../../platform/runtime/system.ts";
import { silentLogger } from "../../../platform/telemetry/logger.ts";
import { openSink } from "../open-sink.ts";
import type { KafkaOptions } from "./kafka-sink.ts";

// What is passed to Kafka's client, option by option; the effect is tested with a real broker.

const kafkajs = createRequire(import.meta.url)("kafkajs") as { Kafka: unknown };
const { Kafka } = kafkajs;
let asked: KafkaJs.KafkaConfig;
let created: KafkaJs.ITopicConfig[];
let sent: KafkaJs.ProducerRecord[];
/** Topics that the broker acknowledges with each message. */
let acknowledged: string[];

beforeEach(() => {
  [created, sent, acknowledged] = [[], [], ["t"]];
  kafkajs.Kafka = class {
    constructor(config: KafkaJs.KafkaConfig) {
      asked = config;
    }
    admin = () => ({
      ...{
        connect: async () => {},
        disconnect: async () => {},
        fetchTopicMetadata: async () => ({ topics: [] }),
      },
      createTopics: async ({ topics }: { topics: KafkaJs.ITopicConfig[] }) => void created.push(...topics),
    });
    producer = () => ({
      ...{ connect: async () => {}, disconnect: async () => {} },
      async send(record: KafkaJs.ProducerRecord) {
        sent.push(record);
        return acknowledged.map((topicName) => ({ topicName, partition: 0, errorCode: 0 }));
      },
    });
  };
});
afterEach(() => {
  kafkajs.Kafka = Kafka;
});

async function publish(
  kafka: Partial<KafkaOptions>,
  more: Parameters<typeof openSink>[0] = {},
): Promise<void> {
  const { randomness } = createSimulatedRuntime();
  const options = { ...more, kafka: { brokers: ["a:1", "b:2"], ...kafka } };
  const sink = openSink(options, ["t"], { files: systemRuntime.files, randomness }, silentLogger);
  await sink.open();
  await sink.send({ topic: "t", key: "1", id: "t/1", value: new Uint8Array(10_000) });
  await sink.close();
}

const lengths = () => sent.map(({ messages }) => (messages[0] as { value: Buffer }).value.length);
const headers = () => Object.keys(sent[0]?.messages[0]?.headers ?? {});

it("defaults to one replica, one partition, acknowledgement by the leader, no encryption, no user", async () => {
  await publish({});
  expect(asked).toMatchObject({ brokers: ["a:1", "b:2"], clientId: expect.stringMatching(/^producer-/) });
  expect(asked).not.toHaveProperty("ssl");
  expect(asked).not.toHaveProperty("sasl");
  expect(created).toEqual([{ topic: "t", numPartitions: 1, replicationFactor: 1 }]);
  expect([sent[0]?.acks, lengths(), headers()]).toEqual([
    1,
    [10_000],
    ["totalSegments", "segmentIdx", "version", "producerId"],
  ]);
});

it("passes on replicas, partitions and acknowledgements", async () => {
  await publish({ replicas: 3, partitions: 4, requiredAcks: "-1" });
  expect(created).toEqual([{ topic: "t", numPartitions: 4, replicationFactor: 3 }]);
  expect(sent[0]?.acks).toBe(-1);
});

it("limits segments by option and by the brokers' maximum minus overhead", async () => {
  await publish({}, { segmentBytes: 6_000 });
  expect(lengths()).toEqual([6_000, 4_000]);
  sent = [];
  await publish({ maxMessageBytes: 4_512 });
  expect(lengths()).toEqual([4_000, 4_000, 2_000]);
});

it("sends the producer's name, except in legacy headers", async () => {
  await publish({}, { producerId: "me", messageVersion: "legacy" });
  expect(asked.clientId).toBe("me");
  expect(headers()).toEqual(["totalSegments", "segmentIdx"]);
});

it("reads certificate authorities and the password from files", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kairn-kafka-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [tlsCa, saslPasswordFile] = [join(folder, "ca"), join(folder, "password")];
  writeFileSync(tlsCa, "authorities");
  writeFileSync(saslPasswordFile, "pass\nword\n");
  await publish({ tls: true });
  expect(asked.ssl).toBe(true);
  await publish({ tls: true, tlsCa, saslUsername: "u", saslPasswordFile });
  expect(asked.ssl).toEqual({ ca: "authorities" });
  expect(asked.sasl).toEqual({ mechanism: "scram-sha-512", username: "u", password: "pass" });
  const plain = { saslMechanism: "plain", saslUsername: "u", saslPasswordFile } as const;
  await publish({ ...plain, tls: true });
  expect(asked).toMatchObject({ ssl: true, sasl: { mechanism: "plain" } });
  await expect(publish(plain)).rejects.toThrow("the password is sent in clear text");
  await publish(plain, { allowCleartextPasswords: true });
  expect(asked.sasl).toMatchObject({ mechanism: "plain" });
});

it("requires an acknowledgement for each message, unless none is requested", async () => {
  acknowledged = [];
  await expect(publish({})).rejects.toThrowError("did not acknowledge a message of t");
  acknowledged = ["other"];
  await expect(publish({})).rejects.toThrowError("did not acknowledge a message of t");
  await publish({ requiredAcks: "0" });
});
