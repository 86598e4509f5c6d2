// The first message of a TLS client, as far as it decides what a handshake costs. RFC 8446, 4.1.2, 4.2.1, 4.2.8, 5.1; RFC 5246, 7.4.1.2.

/** Maximum bytes of a ClientHello with its records: with tickets and keys against quantum computers they have some 2 KiB. */
const MAX_HELLO = 32 * 1024;
/** Most records that it may be split into. */
const MAX_RECORDS = 64;
const RECORD_HEAD = 5;
const MESSAGE_HEAD = 4;
const HANDSHAKE = 22;
const CLIENT_HELLO = 1;
/** Version and random bytes before the session id. */
const FIXED = 34;
const SUPPORTED_VERSIONS = 43;
const KEY_SHARE = 51;
const TLS_1_3 = 0x0304;
/** Key exchanges that this server takes: the groups' numbers, and their names for OpenSSL. */
const GROUPS: ReadonlySet<number> = new Set([0x001d, 0x0017]);
/** @see GROUPS */
export const GROUP_NAMES = "X25519:prime256v1";

/** What has arrived of a ClientHello. */
export type ClientHello =
  | "incomplete"
  | "invalid"
  | {
      /** Whether it has a key for none of the server's groups: the server asks for a second ClientHello, and works twice. */
      readonly needsRetry: boolean;
    };

/** Reads what a client sent first. Contents beyond those that matter here are left to OpenSSL. */
export function readClientHello(bytes: Buffer): ClientHello {
  const payloads: Buffer[] = [];
  let length = 0;
  for (let at = 0; payloads.length < MAX_RECORDS; ) {
    if (bytes.length > at && bytes[at] !== HANDSHAKE) return "invalid";
    if (bytes.length < at + RECORD_HEAD) return "incomplete";
    const end = at + RECORD_HEAD + bytes.readUInt16BE(at + 3);
    if (bytes[at + 1] !== 3 || end > MAX_HELLO) return "invalid";
    const payload = bytes.subarray(at + RECORD_HEAD, end);
    payloads.push(payload);
    length += payload.length;
    const message = payloads.length === 1 ? payload : Buffer.concat(payloads, length);
    const size = messageSize(message);
    if (size === "invalid" || size > MAX_HELLO) return "invalid";
    if (length >= size) return { needsRetry: needsRetry(new Fields(message.subarray(MESSAGE_HEAD, size))) };
    if (bytes.length < end) return "incomplete";
    at = end;
  }
  return "invalid";
}

/** Bytes of a message with its head; of that head, if there is less. */
function messageSize(message: Buffer): number | "invalid" {
  if (message.length > 0 && message[0] !== CLIENT_HELLO) return "invalid";
  return message.length < MESSAGE_HEAD ? MESSAGE_HEAD : MESSAGE_HEAD + message.readUIntBE(1, 3);
}

function needsRetry(hello: Fields): boolean {
  hello.skip(FIXED);
  hello.skip(hello.number(1)); // session id
  hello.skip(hello.number(2)); // cipher suites
  hello.skip(hello.number(1)); // compression methods
  const extensions = hello.fields(hello.number(2));
  let offers13 = false;
  let hasKey = false;
  while (extensions.left > 0) {
    const kind = extensions.number(2);
    const content = extensions.fields(extensions.number(2));
    if (kind === SUPPORTED_VERSIONS) offers13 = versionsOf(content).includes(TLS_1_3);
    if (kind === KEY_SHARE) hasKey = groupsOf(content).some((group) => GROUPS.has(group));
  }
  return offers13 && !hasKey;
}

function versionsOf(content: Fields): number[] {
  const versions = content.fields(content.number(1));
  const list: number[] = [];
  while (versions.left > 0) list.push(versions.number(2));
  return list;
}

function groupsOf(content: Fields): number[] {
  const shares = content.fields(content.number(2));
  const list: number[] = [];
  while (shares.left > 0) {
    list.push(shares.number(2));
    shares.skip(shares.number(2));
  }
  return list;
}

/** Reads fields one after the other; beyond the end, numbers are 0 and lists empty. */
class Fields {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get left(): number {
    return Math.max(0, this.#bytes.length - this.#at);
  }

  number(bytes: 1 | 2): number {
    const value = this.left < bytes ? 0 : this.#bytes.readUIntBE(this.#at, bytes);
    this.#at += bytes;
    return value;
  }

  skip(bytes: number): void {
    this.#at += bytes;
  }

  fields(bytes: number): Fields {
    const part = this.#bytes.subarray(this.#at, this.#at + bytes);
    this.#at += bytes;
    return new Fields(part);
  }
}
