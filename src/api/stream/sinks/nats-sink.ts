import { parseJsonWithin } from "../../../platform/intake/nesting.ts";
import type { Logger } from "../../../platform/telemetry/logger.ts";
import { isObject, type Json } from "../../../protocol/codec/json/value.ts";
import { StreamError } from "../errors.ts";
import type { EventSink, StreamMessage } from "./event-sink.ts";
import { NatsConnection, type NatsServer } from "./nats-connection.ts";
import { type Producer, type Segment, segmentsOf } from "./segments.ts";

/** NATS servers with JetStream. */
export interface NatsOptions {
  /** `nats://HOST:PORT` or `tls://…`, with `user:password@` or `token@` if required; tried one after the other. */
  readonly servers?: readonly string[];
  /** File of certificate authorities to trust instead of the system's. */
  readonly tlsCa?: string;
  /** Name of the stream that keeps the messages, created if it does not exist. Default `chaindatafetcher`. */
  readonly stream?: string;
  /** Replicas of a stream that does not exist yet. Default 1. */
  readonly replicas?: number;
}

/** A sink's settings. */
export interface NatsSinkOptions {
  readonly servers: readonly NatsServer[];
  readonly stream: string;
  readonly replicas: number;
  readonly topics: readonly string[];
  readonly producer: Producer;
  readonly segmentBytes: number;
  /** Names the inbox for answers. */
  readonly inbox: () => string;
}

const ANSWER_MS = 10_000;
/** Maximum bytes of a segment's headers. */
const HEADER_BYTES = 1024;
/** Time within which the server drops duplicates, in nanoseconds. */
const DUPLICATES_NS = 120_000_000_000;
/** "stream not found" */
const STREAM_NOT_FOUND = 10059;

/** Sends messages to a stream of NATS JetStream, each segment acknowledged before the next. The subject is the topic. */
export class NatsSink implements EventSink {
  readonly place: string;
  readonly secrets: readonly (string | undefined)[];
  readonly #options: NatsSinkOptions;
  readonly #logger: Logger;
  #connection: NatsConnection | undefined;
  #turn = 0;

  constructor(options: NatsSinkOptions, logger: Logger) {
    this.#options = options;
    this.#logger = logger;
    this.secrets = options.servers.flatMap(({ password, token }) => [password, token]);
    this.place = `nats ${options.servers.map(({ host, port }) => `${host}:${port}`).join(",")}`;
  }

  async open(): Promise<void> {
    await this.close();
    const { servers, inbox } = this.#options;
    const server = servers[this.#turn++ % servers.length] as NatsServer;
    const connection = new NatsConnection(server, inbox(), ANSWER_MS);
    this.#connection = connection;
    await connection.open();
    await this.#createStream(connection);
  }

  async send({ topic, id, key, value }: StreamMessage): Promise<void> {
    const connection = this.#connection;
    if (connection === undefined) throw new StreamError("BROKER", "the connection is closed");
    const size = Math.min(this.#options.segmentBytes, connection.maxPayload - HEADER_BYTES);
    for (const segment of segmentsOf(value, size)) {
      const answer = await connection.request(topic, this.#headers(id, key, segment), segment.bytes);
      acknowledged(answer, this.#options.stream);
    }
  }

  async close(): Promise<void> {
    this.#connection?.close();
    this.#connection = undefined;
  }

  /** As Kafka's, but numbers in decimal. */
  #headers(id: string, key: string, { index, total }: Segment): [string, string][] {
    const { producer } = this.#options;
    return [
      ["Nats-Msg-Id", `${producer.id}/${id}/${index}/${total}`],
      ["key", key],
      ["totalSegments", String(total)],
      ["segmentIdx", String(index)],
      ...(producer.version === undefined
        ? []
        : ([
            ["version", producer.version],
            ["producerId", producer.id],
          ] as [string, string][])),
    ];
  }

  async #createStream(connection: NatsConnection): Promise<void> {
    const { stream, topics, replicas } = this.#options;
    const ask = async (action: string, body: object) =>
      parse(
        await connection.request(`$JS.API.STREAM.${action}.${stream}`, [], Buffer.from(JSON.stringify(body))),
      );
    const { error, config } = await ask("INFO", {});
    if (error === undefined) {
      const missing = topics.filter((topic) => !subjectsOf(config).some((subject) => covers(subject, topic)));
      if (missing.length === 0) return;
      throw new StreamError("BROKER", `the stream ${stream} exists and does not keep ${missing.join(", ")}`);
    }
    if (error.err_code !== STREAM_NOT_FOUND) throw refusal(error, stream);
    const kept = { subjects: topics, storage: "file", retention: "limits", num_replicas: replicas };
    const made = await ask("CREATE", { name: stream, ...kept, duplicate_window: DUPLICATES_NS });
    if (made.error !== undefined) throw refusal(made.error, stream);
    this.#logger.info("a stream was created", { stream, subjects: topics, replicas });
  }
}

/** The members used of JetStream's replies. */
interface JetStreamReply {
  readonly error?: { readonly code?: unknown; readonly err_code?: unknown; readonly description?: unknown };
  readonly config?: Json;
  readonly stream?: unknown;
  readonly seq?: unknown;
}

/** @throws StreamError `BROKER` for anything but an acknowledgement */
function acknowledged(text: string, stream: string): void {
  const reply = parse(text);
  if (reply.error !== undefined) throw refusal(reply.error, stream);
  if (reply.stream !== stream || !Number.isSafeInteger(reply.seq) || (reply.seq as number) < 1)
    throw new StreamError("BROKER", `the stream ${stream} did not acknowledge: ${text}`);
}

function refusal({ description, code }: NonNullable<JetStreamReply["error"]>, stream: string): StreamError {
  return new StreamError(
    "BROKER",
    `the stream ${stream} refuses: ${typeof description === "string" ? description : JSON.stringify(code ?? "no reason given")}`,
  );
}

function parse(text: string): JetStreamReply {
  try {
    const reply = parseJsonWithin(text) as Json;
    if (isObject(reply) && (reply["error"] === undefined || isObject(reply["error"]))) return reply;
  } catch {} // reported below
  throw new StreamError("BROKER", `the response is not a JSON object: ${text}`);
}

/** The subjects of a stream's configuration, without whatever else a server may say. */
function subjectsOf(config: Json | undefined): readonly string[] {
  const subjects = config !== undefined && isObject(config) ? config["subjects"] : undefined;
  return Array.isArray(subjects) ? subjects.filter((subject) => typeof subject === "string") : [];
}

/** Whether a subject with wildcards stands for a topic, too. */
function covers(subject: string, topic: string): boolean {
  const words = topic.split(".");
  const wanted = subject.split(".");
  return (
    wanted.every((word, i) => word === ">" || word === "*" || word === words[i]) &&
    (wanted.at(-1) === ">" ? words.length >= wanted.length : words.length === wanted.length)
  );
}
