import { readTextWithin } from "../../platform/intake/read-file.ts";
import type { Runtime } from "../../platform/runtime/runtime.ts";
import type { Logger } from "../../platform/telemetry/logger.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { StreamError } from "./errors.ts";
import type { EventSink } from "./sinks/event-sink.ts";
import { FileSink } from "./sinks/file-sink.ts";
import { type KafkaOptions, KafkaSink } from "./sinks/kafka-sink.ts";
import type { NatsServer } from "./sinks/nats-connection.ts";
import { NatsSink } from "./sinks/nats-sink.ts";
import type { Producer } from "./sinks/segments.ts";
import { DEFAULT_KAFKA, DEFAULT_NATS, DEFAULT_STREAM } from "./stream-defaults.ts";
import type { EventStreamOptions } from "./stream-options.ts";

const NATS_PORT = 4222;
/** Minimum size of a segment, so that a block is not cut into thousands. */
const MIN_SEGMENT = 1024;

/**
 * The sink selected by the options, not connected yet.
 * @throws StreamError `OPTION` for options that are missing or inconsistent
 */
export function openSink(
  options: EventStreamOptions & { readonly allowCleartextPasswords?: boolean },
  topics: readonly string[],
  { files, randomness }: Pick<Runtime, "files" | "randomness">,
  logger: Logger,
): EventSink {
  const {
    mode = DEFAULT_STREAM.mode,
    segmentBytes = DEFAULT_STREAM.segmentBytes,
    messageVersion = DEFAULT_STREAM.messageVersion,
    allowCleartextPasswords = false,
  } = options;
  const random = () => bytesToHex(randomness.bytes(8)).slice(2);
  const id = options.producerId ?? `producer-${random()}`;
  if (!/^[\x21-\x7e]{1,200}$/.test(id))
    throw optionError("the producer's id is 1 to 200 printable characters");
  if (segmentBytes < MIN_SEGMENT) throw optionError(`a segment has ${MIN_SEGMENT} bytes or more`);
  const producer: Producer = { id, version: messageVersion === "1.0" ? "1.0" : undefined };
  const shared = { topics, producer, segmentBytes };
  switch (mode) {
    case "kafka": {
      const { tlsCa, saslPasswordFile, brokers = [], ...kafka } = options.kafka ?? {};
      if (brokers.length === 0)
        throw optionError("Kafka's brokers must be given: --chaindatafetcher.kafka.brokers HOST:PORT");
      for (const broker of brokers) checkBroker(broker);
      if ((kafka.maxMessageBytes ?? segmentBytes) < 2 * MIN_SEGMENT)
        throw optionError("Kafka's messages are too short");
      if (!allowCleartextPasswords && showsPassword(kafka))
        throw optionError(
          "with SASL's plain mechanism the password is sent in clear text: use SCRAM, --chaindatafetcher.kafka.tls or " +
            "--allow-cleartext-passwords",
        );
      return new KafkaSink(
        {
          ...{ ...kafka, ...shared, brokers },
          ca: tlsCa === undefined ? undefined : text(tlsCa),
          password: saslPasswordFile === undefined ? undefined : text(saslPasswordFile).split(/\r?\n/, 1)[0],
        },
        logger,
      );
    }
    case "nats": {
      const { servers = [], tlsCa } = options.nats ?? {};
      const { stream = DEFAULT_NATS.stream, replicas = DEFAULT_NATS.replicas } = options.nats ?? {};
      if (servers.length === 0)
        throw optionError("NATS' servers must be given: --chaindatafetcher.nats.servers nats://HOST");
      if (!/^[A-Za-z0-9_-]{1,64}$/.test(stream))
        throw optionError("a stream's name is letters, digits, _ and -");
      const ca = tlsCa === undefined ? undefined : text(tlsCa);
      const known = servers.map((url) => ({ ...natsServer(url), ca, allowCleartextPasswords }));
      return new NatsSink({ ...shared, servers: known, stream, replicas, inbox: random }, logger);
    }
    case "file": {
      if (!options.file) throw optionError("a file must be given: --chaindatafetcher.file PATH");
      return new FileSink(files, options.file);
    }
    default:
      throw optionError(`the mode ${mode as string} is not supported: kafka, nats or file`);
  }
}

/** Whether whoever answers in place of a Kafka broker can read the password. */
function showsPassword({
  saslUsername,
  saslMechanism = DEFAULT_KAFKA.saslMechanism,
  tls,
}: KafkaOptions): boolean {
  return saslUsername !== undefined && saslMechanism === "plain" && tls !== true;
}

/** Maximum length of a host name. @see RFC 1035, 2.3.4 */
const MAX_HOST_LENGTH = 253;
const LAST_PORT = 65_535;

function checkBroker(broker: string): void {
  const [, host = "", port] = /^(\[[0-9a-fA-F:]+\]|[A-Za-z0-9._-]+):([0-9]{1,5})$/.exec(broker) ?? [];
  if (!isValidAddress(host, Number(port)))
    throw optionError("a broker of Kafka is HOST:PORT, without a user and a scheme");
}

function isValidAddress(host: string, port: number): boolean {
  return host !== "" && host.length <= MAX_HOST_LENGTH && port >= 1 && port <= LAST_PORT;
}

/** @throws StreamError `OPTION`, without repeating what may contain a password */
function natsServer(url: string): NatsServer {
  const refused = optionError("a NATS server is nats://HOST:PORT or tls://HOST:PORT");
  const text = url.includes("://") ? url : `nats://${url}`;
  // The parser would remove blanks and line feeds.
  if (!/^[\x21-\x7e]+$/.test(text) || !URL.canParse(text)) throw refused;
  const { protocol, hostname, port, username, password } = new URL(text);
  const host = hostname.replace(/^\[|\]$/g, "");
  const [user, secret] = [decoded(username), decoded(password)];
  const number = port === "" ? NATS_PORT : Number(port);
  if (!["nats:", "tls:"].includes(protocol) || !isValidAddress(host, number)) throw refused;
  if (user === undefined || secret === undefined) throw refused;
  return {
    ...{ host, port: number, tls: protocol === "tls:" },
    ...(user !== "" && (secret === "" ? { token: user } : { user, password: secret })),
  };
}

/** Undefined for what is not percent-encoded UTF-8. */
function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

/** A small file named by an option. @throws StreamError `OPTION` */
function text(path: string): string {
  try {
    return readTextWithin(path);
  } catch (cause) {
    throw new StreamError("OPTION", (cause as Error).message, {}, { cause });
  }
}

function optionError(text: string): StreamError {
  return new StreamError("OPTION", text);
}
