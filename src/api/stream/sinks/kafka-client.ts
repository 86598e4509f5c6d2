import { createRequire } from "node:module";
import type * as KafkaJs from "kafkajs";
import { StreamError } from "../errors.ts";

/** The client's decoder of responses. */
interface Decoder {
  readonly buffer: Buffer;
  readonly offset: number;
  readArray(read: unknown): unknown;
  readArrayAsync(read: unknown): unknown;
}

/** How the client derives a key from a password. */
interface Scram {
  hi(password: unknown, salt: unknown, iterations: number, digest: unknown): Promise<Buffer>;
}

/** Maximum rounds of that derivation: brokers use 4,096 by default. */
const MAX_ROUNDS = 1_000_000;

/** Members of a list in an answer: brokers of a cluster, partitions of a topic. */
const MAX_LIST = 4_096;

const require = createRequire(import.meta.url);
let client: typeof KafkaJs | undefined;

/** Kafka's client, loaded when it is first needed. @throws StreamError `OPTION` where the package is not installed */
export function loadKafka(): typeof KafkaJs {
  if (client !== undefined) return client;
  try {
    client = require("kafkajs") as typeof KafkaJs;
    boundDerivations(
      (require("kafkajs/src/broker/saslAuthenticator/scram") as { readonly SCRAM: Scram }).SCRAM,
    );
    boundLists((require("kafkajs/src/protocol/decoder") as { readonly prototype: Decoder }).prototype);
    return client;
  } catch (cause) {
    const text = "the optional package kafkajs is not installed: npm install kafkajs";
    throw new StreamError("OPTION", text, {}, { cause });
  }
}

/** The broker chooses the number of rounds, which cost time in a thread that file access shares. */
function boundDerivations(scram: Scram): void {
  const { hi } = scram;
  scram.hi = async (password, salt, iterations, digest) => {
    if (!(iterations <= MAX_ROUNDS))
      throw new StreamError("BROKER", `a key of ${iterations} rounds is refused, more than ${MAX_ROUNDS}`);
    return hi(password, salt, iterations, digest);
  };
}

/**
 * The client allocates memory for as many members as an answer claims, and joins lists of brokers in time that grows with the square of their
 * number.
 */
function boundLists(decoder: Decoder): void {
  for (const name of ["readArray", "readArrayAsync"] as const) {
    const read = decoder[name];
    decoder[name] = function (this: Decoder, member) {
      const { buffer, offset } = this;
      const length = buffer.readInt32BE(offset);
      if (length > buffer.length - offset || length > MAX_LIST)
        throw new StreamError(
          "BROKER",
          `a response of ${buffer.length} bytes with a list of ${length} is rejected`,
        );
      return read.call(this, member);
    };
  }
}
