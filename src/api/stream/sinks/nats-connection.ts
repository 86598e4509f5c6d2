import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { StreamError } from "../errors.ts";
import { type NatsMessage, type NatsOperation, NatsReader } from "./nats-reader.ts";

/** A NATS server and its credentials. */
export interface NatsServer {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  /** Certificate authorities for the host, PEM; absent = those that Node trusts. */
  readonly ca?: string | undefined;
  readonly user?: string;
  readonly password?: string;
  readonly token?: string;
  /** Whether password and token may be sent without encryption. Default false. */
  readonly allowCleartextPasswords?: boolean;
}

/** Unread bytes beyond which a server counts as not reading, besides the message in flight. */
const MAX_UNREAD = 64 * 1024;
const CRLF = "\r\n";
const PONG = `PONG${CRLF}`;

interface Waiting {
  readonly resolve: (answer: string) => void;
  readonly reject: (error: Error) => void;
}

/**
 * A connection to one NATS server that publishes and receives replies: the part of the protocol that JetStream requires of
 * a producer. @see https://docs.nats.io/reference/reference-protocols/nats-protocol
 */
export class NatsConnection {
  readonly #server: NatsServer;
  readonly #timeoutMs: number;
  readonly #inbox: string;
  readonly #answers = new Map<string, Waiting>();
  #socket: Socket | undefined;
  readonly #reader = new NatsReader();
  #counter = 0;
  #greeting: Waiting | undefined;
  #encrypted: Waiting | undefined;
  #pong: Waiting | undefined;
  #maxPayload = 0;
  /** Bytes of replies to `PING` since the server last had read everything. */
  #pongs = 0;
  #failure: Error | undefined;

  /** @param inbox - a name that no other client has */
  constructor(server: NatsServer, inbox: string, timeoutMs: number) {
    this.#server = server;
    this.#inbox = `_INBOX.${inbox}`;
    this.#timeoutMs = timeoutMs;
  }

  /** Maximum bytes of a message with its headers, as announced by the server. */
  get maxPayload(): number {
    return this.#maxPayload;
  }

  /** Connects and authenticates. @throws StreamError `BROKER` */
  async open(): Promise<void> {
    const { host, port, tls, user, password, token } = this.#server;
    const greeted = this.#expect((waiting) => {
      this.#greeting = waiting;
    }, "greet");
    this.#listen(connect({ host, port }));
    const { max_payload: maxPayload, tls_required: tlsRequired } = parseInfo(await greeted);
    this.#maxPayload = maxPayload;
    if (tls || tlsRequired) await this.#encrypt();
    else this.#checkCleartext();
    const credentials = { user, pass: password, auth_token: token };
    const options = { verbose: false, pedantic: false, headers: true, no_responders: true, protocol: 1 };
    const self = { name: "kairn", lang: "node", version: "1", tls_required: tls, ...options, ...credentials };
    const known = this.#expect((waiting) => {
      this.#pong = waiting;
    }, "take the credentials of this node");
    this.#write(`CONNECT ${JSON.stringify(self)}${CRLF}SUB ${this.#inbox}.* 1${CRLF}PING${CRLF}`);
    await known;
  }

  /**
   * Publishes and waits for the reply.
   * @param headers - names and values without line breaks
   * @returns the reply's text; @throws StreamError `BROKER` also if nobody replies on this subject
   */
  async request(
    subject: string,
    headers: readonly (readonly [string, string])[],
    payload: Uint8Array,
  ): Promise<string> {
    const reply = `${this.#inbox}.${++this.#counter}`;
    const answer = this.#expect((waiting) => this.#answers.set(reply, waiting), `response on ${subject}`);
    const head = Buffer.from(
      `NATS/1.0${CRLF}${headers.map(([name, value]) => `${name}: ${value}${CRLF}`).join("")}${CRLF}`,
    );
    this.#write(`HPUB ${subject} ${reply} ${head.length} ${head.length + payload.length}${CRLF}`);
    this.#write(head);
    this.#write(payload);
    this.#write(CRLF);
    try {
      return await answer;
    } finally {
      this.#answers.delete(reply);
    }
  }

  close(): void {
    this.#fail(new StreamError("BROKER", "the connection is closed"));
  }

  #write(bytes: string | Uint8Array): void {
    this.#socket?.write(bytes);
  }

  #listen(socket: Socket): void {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on("data", (chunk) => this.#take(chunk));
    socket.on("error", (error) => this.#fail(error));
    socket.on("close", () => this.#fail(new StreamError("BROKER", "the server has closed the connection")));
  }

  /** Without encryption whoever answers can read the credentials. */
  #checkCleartext(): void {
    const { password, token, allowCleartextPasswords = false } = this.#server;
    if (allowCleartextPasswords || (password === undefined && token === undefined)) return;
    const remedy = "use tls:// or --allow-cleartext-passwords";
    const error = new StreamError("BROKER", `the server's password would be sent in clear text: ${remedy}`);
    this.#fail(error);
    throw error;
  }

  /** Plain text received so far is discarded: anybody may have sent it. */
  async #encrypt(): Promise<void> {
    const { host, ca } = this.#server;
    const plain = this.#socket as Socket;
    plain.removeAllListeners();
    this.#reader.clear();
    const encrypted = this.#expect((waiting) => {
      this.#encrypted = waiting;
    }, "encrypt the connection");
    const name = isIP(host) === 0 ? { servername: host } : {};
    this.#listen(
      connectTls({ socket: plain, host, ...name, ...(ca && { ca }) }, () => this.#encrypted?.resolve("")),
    );
    await encrypted;
  }

  #expect(register: (waiting: Waiting) => void, what: string): Promise<string> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        this.#fail(new StreamError("BROKER", `the server did not ${what} within ${this.#timeoutMs} ms`));
      }, this.#timeoutMs);
      register({
        resolve(answer) {
          clearTimeout(late);
          resolve(answer);
        },
        reject(error) {
          clearTimeout(late);
          reject(error);
        },
      });
    });
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.removeAllListeners();
    socket?.on("error", () => {});
    socket?.destroy();
    this.#reader.clear();
    const waiting = [this.#greeting, this.#encrypted, this.#pong, ...this.#answers.values()];
    for (const one of waiting) one?.reject(error);
    this.#greeting = undefined;
    this.#encrypted = undefined;
    this.#pong = undefined;
    this.#answers.clear();
  }

  #take(chunk: Buffer): void {
    try {
      this.#reader.take(chunk, (operation) => {
        this.#handle(operation);
        return this.#socket !== undefined;
      });
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  #handle({ name, rest, message }: NatsOperation): void {
    switch (name) {
      case "MSG":
      case "HMSG":
        if (message) this.#answer(message);
        return;
      case "INFO":
        this.#greeting?.resolve(rest);
        this.#greeting = undefined;
        return;
      case "PING":
        this.#answerPing();
        return;
      case "PONG":
        this.#pong?.resolve("");
        this.#pong = undefined;
        return;
      case "+OK":
        return;
      case "-ERR":
        throw new StreamError("BROKER", `the server refuses: ${rest}`);
      default: {
        const said = JSON.stringify(`${name} ${rest}`.trimEnd());
        throw new StreamError("BROKER", `this is not a NATS server: it said ${said}`);
      }
    }
  }

  /** @throws StreamError `BROKER` for a server that does not read the replies */
  #answerPing(): void {
    this.#pongs += PONG.length;
    if (this.#socket?.writableLength === 0) this.#pongs = 0;
    if (this.#pongs > MAX_UNREAD) throw new StreamError("BROKER", "the server asks without end");
    this.#write(PONG);
  }

  #answer({ subject, head, body }: NatsMessage): void {
    const waiting = this.#answers.get(subject);
    if (head.startsWith("NATS/1.0 503"))
      waiting?.reject(new StreamError("BROKER", "nothing takes messages on this subject"));
    else waiting?.resolve(body);
  }
}

function parseInfo(text: string): { readonly max_payload: number; readonly tls_required: boolean } {
  let info: { max_payload?: unknown; tls_required?: unknown; headers?: unknown };
  try {
    info = Object(JSON.parse(text)) as typeof info;
  } catch {
    throw new StreamError("BROKER", "the server's greeting is not JSON");
  }
  const { max_payload: maxPayload, tls_required: tlsRequired, headers } = info;
  if (headers !== true)
    throw new StreamError("BROKER", "the server takes no headers: NATS 2.2 or newer is needed");
  if (typeof maxPayload !== "number" || !(maxPayload >= 4096))
    throw new StreamError(
      "BROKER",
      `the server takes messages of ${String(maxPayload)} bytes: 4096 are needed`,
    );
  return { max_payload: maxPayload, tls_required: tlsRequired === true };
}
