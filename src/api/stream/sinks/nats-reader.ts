import { withRoom } from "../../../platform/runtime/buffers.ts";
import { StreamError } from "../errors.ts";

/** Maximum line and response of a server; its list of addresses is in one line. */
const MAX_LINE_LENGTH = 64 * 1024;
const MAX_RESPONSE_LENGTH = 256 * 1024;
/** Most operations in one chunk of input: a server answers one request at a time, and pings every other minute. */
const MAX_OPERATIONS = 64;
/** Most words of a message: subject, subscription, reply subject, two lengths. */
const MAX_WORDS = 5;
const CRLF = "\r\n";
const EMPTY = Buffer.alloc(0);

/** What a server sends: a line with its operation in upper case, and for `MSG` and `HMSG` what follows it. */
export interface NatsOperation {
  readonly name: string;
  /** The line without its operation. */
  readonly rest: string;
  readonly message?: NatsMessage;
}

/** A message for one of this client's subjects. */
export interface NatsMessage {
  readonly subject: string;
  /** Empty without headers. */
  readonly head: string;
  readonly body: string;
}

/** A line whose message has yet to arrive. */
interface Announced {
  readonly name: string;
  readonly rest: string;
  readonly subject: string;
  readonly headBytes: number;
  readonly bytes: number;
}

/**
 * Splits what a server sends into operations. Every byte is copied and searched once or twice, in however many pieces it comes.
 * @see https://docs.nats.io/reference/reference-protocols/nats-protocol
 */
export class NatsReader {
  #buffer: Buffer = EMPTY;
  /** Bytes used of the buffer, and how many of them have no line break. */
  #length = 0;
  #searched = 0;
  #announced: Announced | undefined;

  /**
   * Takes a chunk and passes on what is complete.
   * @param handle - returns whether to continue
   * @throws StreamError `BROKER` for lines, messages and operations beyond any that a server needs
   */
  take(chunk: Buffer, handle: (operation: NatsOperation) => boolean): void {
    this.#append(chunk);
    for (let count = 1; ; count++) {
      const operation = this.#next();
      if (operation === undefined || !handle(operation)) return;
      if (count === MAX_OPERATIONS) throw new StreamError("BROKER", "the server sent too much at once");
    }
  }

  /** Forgets what has arrived. */
  clear(): void {
    this.#buffer = EMPTY;
    this.#length = 0;
    this.#searched = 0;
    this.#announced = undefined;
  }

  #append(chunk: Buffer): void {
    const length = this.#length + chunk.length;
    this.#buffer = withRoom(this.#buffer, this.#length, length);
    chunk.copy(this.#buffer, this.#length);
    this.#length = length;
  }

  #next(): NatsOperation | undefined {
    if (this.#announced !== undefined) return this.#messageOf(this.#announced);
    const line = this.#line();
    if (line === undefined) return undefined;
    const [name = ""] = /^[^ \t]*/.exec(line) ?? [];
    const operation = { name: name.toUpperCase(), rest: line.slice(name.length).trim() };
    if (operation.name !== "MSG" && operation.name !== "HMSG") return operation;
    this.#announced = announced(operation);
    return this.#messageOf(this.#announced);
  }

  #line(): string | undefined {
    const end = this.#buffer.subarray(0, this.#length).indexOf(CRLF, this.#searched);
    if (end > MAX_LINE_LENGTH || (end < 0 && this.#length > MAX_LINE_LENGTH))
      throw new StreamError("BROKER", `a line of more than ${MAX_LINE_LENGTH} bytes is refused`);
    if (end < 0) {
      this.#searched = Math.max(0, this.#length - 1);
      return undefined;
    }
    const line = this.#buffer.toString("utf8", 0, end);
    this.#drop(end + CRLF.length);
    return line;
  }

  #messageOf({ name, rest, subject, headBytes, bytes }: Announced): NatsOperation | undefined {
    if (this.#length < bytes + CRLF.length) return undefined;
    const head = this.#buffer.toString("utf8", 0, headBytes);
    const body = this.#buffer.toString("utf8", headBytes, bytes);
    this.#drop(bytes + CRLF.length);
    this.#announced = undefined;
    return { name, rest, message: { subject, head, body } };
  }

  #drop(count: number): void {
    this.#buffer = this.#length === count ? EMPTY : this.#buffer.subarray(count);
    this.#length -= count;
    this.#searched = 0;
  }
}

function announced({ name, rest }: NatsOperation): Announced {
  const words = rest.split(/[ \t]+/, MAX_WORDS + 1);
  const sizes = words.slice(name === "HMSG" ? -2 : -1).map(Number);
  const headBytes = name === "HMSG" ? (sizes[0] as number) : 0;
  const bytes = sizes.at(-1) as number;
  const isPlausible =
    words.length <= MAX_WORDS &&
    Number.isSafeInteger(bytes) &&
    bytes >= 0 &&
    bytes <= MAX_RESPONSE_LENGTH &&
    headBytes >= 0 &&
    headBytes <= bytes;
  if (!isPlausible)
    throw new StreamError(
      "BROKER",
      `a response of ${(words.at(-1) as string).slice(0, 30)} bytes is rejected`,
    );
  return { name, rest, subject: words[0] ?? "", headBytes, bytes };
}
