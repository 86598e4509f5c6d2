import { createRequire } from "node:module";
import type * as KafkaJs from "kafkajs";
import { StreamError } from "../errors.ts";

/** What the client reads answers with. */
interface Decoder {
  readonly buffer: Buffer;
  readonly offset: number;
  readArray(read: unknown): unknown;
  readArrayAsync(read: unknown): unknown;
}

const require = createRequire(import.meta.url);
let client: typeof KafkaJs | undefined;

/** Kafka's client, loaded when it is first needed. @throws StreamError `OPTION` where the package is not installed */
export function loadKafka(): typeof KafkaJs {
  if (client !== undefined) return client;
  try {
    client = require("kafkajs") as typeof KafkaJs;
    boundLists((require("kafkajs/src/protocol/decoder") as { readonly prototype: Decoder }).prototype);
    return client;
  } catch (cause) {
    const text = "the optional package kafkajs is not installed: npm install kafkajs";
    throw new StreamError("OPTION", text, {}, { cause });
  }
}

/** The client sets memory aside for as many members as an answer claims to have; now for no more than it has bytes. */
function boundLists(decoder: Decoder): void {
  for (const name of ["readArray", "readArrayAsync"] as const) {
    const read = decoder[name];
    decoder[name] = function (this: Decoder, member) {
      const { buffer, offset } = this;
      const length = buffer.readInt32BE(offset);
      if (length > buffer.length - offset)
        throw new StreamError(
          "BROKER",
          `an answer of ${buffer.length} bytes with a list of ${length} is refused`,
        );
      return read.call(this, member);
    };
  }
}
