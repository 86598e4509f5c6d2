import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type * as KafkaJs from "kafkajs";
import { NatsConnection } from "../../../src/api/stream/sinks/nats-connection.ts";

const { Kafka, logLevel } = createRequire(import.meta.url)("kafkajs") as typeof KafkaJs;

/** A segment as received by a consumer. */
export interface ReadSegment {
  readonly topic: string;
  readonly key: string;
  readonly producer: string;
  readonly index: number;
  readonly total: number;
  readonly bytes: Buffer;
}

/** The content of a JetStream stream, in order. */
export async function readNats(
  { port, tlsCa }: { readonly port: number; readonly tlsCa?: string },
  stream: string,
): Promise<ReadSegment[]> {
  const ca = tlsCa === undefined ? undefined : readFileSync(tlsCa, "utf8");
  const tls = ca !== undefined;
  const who = { user: "kairn", password: "secret", allowCleartextPasswords: true };
  const server = { host: "127.0.0.1", port, tls, ca, ...who };
  const connection = new NatsConnection(server, "reader", 10_000);
  await connection.open();
  try {
    const ask = async (action: string, body: object) =>
      JSON.parse(
        await connection.request(`$JS.API.STREAM.${action}.${stream}`, [], Buffer.from(JSON.stringify(body))),
      );
    const { state } = await ask("INFO", {});
    const segments: ReadSegment[] = [];
    for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
      const { message } = await ask("MSG.GET", { seq });
      const lines = Buffer.from(message.hdrs, "base64").toString().split("\r\n").slice(1);
      const headers = Object.fromEntries(lines.filter(Boolean).map((line) => line.split(": ", 2)));
      segments.push({
        topic: message.subject,
        key: headers["key"],
        producer: headers["producerId"],
        index: Number(headers["segmentIdx"]),
        total: Number(headers["totalSegments"]),
        bytes: Buffer.from(message.data ?? "", "base64"),
      });
    }
    return segments;
  } finally {
    connection.close();
  }
}

/** The content of topics with one partition each, up to their current ends. */
export async function readKafka(
  broker: string,
  topics: readonly string[],
  access?: { readonly tlsCa: string; readonly username: string; readonly password: string },
): Promise<ReadSegment[]> {
  const { tlsCa, ...user } = access ?? {};
  const client = new Kafka({
    ...{ brokers: [broker], logLevel: logLevel.NOTHING },
    ...(tlsCa && {
      ssl: { ca: readFileSync(tlsCa, "utf8") },
      sasl: { mechanism: "scram-sha-512", ...(user as { username: string; password: string }) },
    }),
  });
  const admin = client.admin();
  await admin.connect();
  const left = new Map<string, number>();
  for (const topic of topics) {
    const [partition] = await admin.fetchTopicOffsets(topic);
    left.set(topic, Number(partition?.high ?? 0));
  }
  await admin.disconnect();
  const segments: ReadSegment[] = [];
  const wanted = [...left.values()].reduce((sum, count) => sum + count, 0);
  const consumer = client.consumer({ groupId: `reader-${Math.random()}` });
  await consumer.connect();
  await consumer.subscribe({ topics: [...topics], fromBeginning: true });
  await new Promise<void>((resolve) => {
    if (wanted === 0) return resolve();
    void consumer.run({
      eachMessage: async ({ topic, message: { key, value, headers = {} } }) => {
        const number = (name: string) => Number((headers[name] as Buffer).readBigUInt64BE());
        segments.push({
          topic,
          key: String(key),
          producer: String(headers["producerId"]),
          index: number("segmentIdx"),
          total: number("totalSegments"),
          bytes: value as Buffer,
        });
        if (segments.length === wanted) resolve();
      },
    });
  });
  await consumer.disconnect();
  return segments;
}

/** A reassembled message. */
export interface ReadMessage {
  readonly topic: string;
  readonly key: string;
  readonly text: string;
}

/**
 * Reassembles segments like a consumer of the reference: those of one key and producer are consecutive, and a retransmission
 * starts with the first. @throws Error if one is missing
 */
export function assembled(segments: readonly ReadSegment[]): ReadMessage[] {
  const open = new Map<string, Buffer[]>();
  const messages: ReadMessage[] = [];
  for (const { topic, key, producer, index, total, bytes } of segments) {
    const place = `${topic}/${producer}/${key}`;
    const parts = index === 0 ? [] : open.get(place);
    if (parts === undefined || index > parts.length)
      throw new Error(`a segment before ${index} of ${place} is missing`);
    if (index < parts.length) continue;
    parts.push(bytes);
    open.set(place, parts);
    if (parts.length < total) continue;
    open.delete(place);
    messages.push({ topic, key, text: Buffer.concat(parts).toString() });
  }
  return messages;
}
