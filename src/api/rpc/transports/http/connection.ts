import type { Socket } from "node:net";
import type { Answer } from "../../server.ts";
import type { Verdict } from "./admission.ts";
import { ChunkedBody } from "./chunked.ts";
import { framingOf, type Head, keepsAlive, parseHead } from "./head.ts";
import { connectionLine, responseText } from "./response.ts";

/** What a connection asks of its server. */
export interface HttpService {
  readonly maxBody: number;
  admit(head: Head): Verdict;
  /** Answers a JSON-RPC text. */
  answer(text: string): Answer;
  /** Whether a request with an `Upgrade` field is for a WebSocket that is served here. */
  upgrades(head: Head): boolean;
  /** Takes over the socket. @param rest what came after the head */
  upgrade(head: Head, socket: Socket, rest: Buffer): void;
  /** Seconds since the server started; steps of one. */
  now(): number;
}

/** Seconds that a client may take. */
const Limit = { idle: 120, request: 30, linger: 2 } as const;
const MAX_HEAD = 64 * 1024;
const END_OF_HEAD = Buffer.from("\r\n\r\n");
const NOTHING = Buffer.alloc(0);

type State = "head" | "body" | "answering" | "discarding" | "closed";

interface Request {
  readonly head: Head;
  readonly verdict: Verdict;
  readonly keepAlive: boolean;
  readonly connection: string;
}

/**
 * One HTTP/1.x connection: keep-alive, pipelining, bodies by length and in chunks, `Expect: 100-continue`, half-closed
 * clients. Answers leave in the order of the requests; while one waits, nothing further is read. Node's own server
 * spends three times as much per small request (`bench/rpc.bench.ts`).
 */
export class HttpConnection {
  /** Second at which the server ends the connection; see `now`. */
  deadline: number;
  readonly #socket: Socket;
  readonly #service: HttpService;
  #state: State = "head";
  #rest: Buffer = NOTHING;
  #request: Request | undefined;
  #headText = "";
  #parts: Buffer[] = [];
  #left = 0;
  #chunked: ChunkedBody | undefined;
  #out = "";
  /** No request will be read after the current one. */
  #last = false;
  /** The client has sent all it wants to send. */
  #halfClosed = false;

  constructor(socket: Socket, service: HttpService) {
    this.#socket = socket;
    this.#service = service;
    this.deadline = service.now() + Limit.request;
    socket.setNoDelay(true);
    socket.on("data", (chunk: Buffer) => this.#receive(chunk));
    socket.on("end", () => this.#onEnd());
    socket.on("drain", () => this.#onDrain());
    socket.on("error", () => this.close());
  }

  /** Ends the connection now. */
  close(): void {
    this.#state = "closed";
    this.#socket.destroy();
  }

  /** Ends the connection once the running answer is out. */
  finish(): void {
    this.#last = true;
    if (this.#state === "head" || this.#state === "body") this.#end();
  }

  #receive(chunk: Buffer): void {
    if (this.#state === "discarding" || this.#state === "closed") return;
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    if (this.#state === "answering") {
      if (this.#rest.length > MAX_HEAD) this.#socket.pause();
      return;
    }
    this.#work();
  }

  /** Reads and answers as many requests as are there. */
  #work(): void {
    while (!this.#last && this.#rest.length > 0 && (this.#state === "head" || this.#state === "body")) {
      const moved = this.#state === "head" ? this.#readHead() : this.#readBody();
      if (!moved) break;
    }
    this.#flush();
    if ((this.#last || this.#halfClosed) && this.#state !== "answering") this.#end();
  }

  #readHead(): boolean {
    let start = 0;
    while (this.#rest[start] === 0x0d || this.#rest[start] === 0x0a) start++;
    const end = this.#rest.indexOf(END_OF_HEAD, start);
    if (end < 0) {
      if (this.#rest.length - start > MAX_HEAD) this.#refuse(431, "request header fields too large");
      else this.deadline = Math.min(this.deadline, this.#service.now() + Limit.request);
      return false;
    }
    const text = this.#rest.toString("latin1", start, end);
    this.#rest = this.#rest.subarray(end + 4);
    // A client sends the same head again and again: only its body differs.
    if (text !== this.#headText) this.#request = undefined;
    this.#headText = text;
    return this.#beginRequest(text);
  }

  #beginRequest(text: string): boolean {
    if (this.#request === undefined) {
      const head = parseHead(text);
      if (head === undefined) return this.#refuse(400, "400 Bad Request");
      if (head.fields.upgrade !== undefined && this.#service.upgrades(head)) return this.#upgrade(head);
      const keepAlive = keepsAlive(head);
      const verdict = this.#service.admit(head);
      this.#request = {
        head,
        verdict,
        keepAlive,
        connection: connectionLine(head.minor, keepAlive && !verdict.close),
      };
    }
    const { head, verdict } = this.#request;
    if (verdict.close) {
      this.#respond(verdict.text);
      return this.#discard();
    }
    return this.#beginBody(head);
  }

  #beginBody(head: Head): boolean {
    const framing = framingOf(head);
    if (framing === undefined) return this.#refuse(400, "400 Bad Request");
    this.deadline = this.#service.now() + Limit.request;
    if (framing !== "chunked" && framing.length === 0) return this.#finishBody("");
    if (framing !== "chunked" && framing.length > this.#service.maxBody) return this.#discardAfterAnswer();
    if (head.fields.expect !== undefined && !this.#expect(head.fields.expect)) return false;
    if (framing === "chunked") this.#chunked = new ChunkedBody(this.#service.maxBody);
    else this.#left = framing.length;
    this.#state = "body";
    return true;
  }

  #expect(expectation: string): boolean {
    if (expectation.toLowerCase() !== "100-continue") return this.#refuse(417, "417 Expectation Failed");
    this.#out += "HTTP/1.1 100 Continue\r\n\r\n";
    return true;
  }

  #readBody(): boolean {
    if (this.#chunked !== undefined) return this.#readChunks(this.#chunked);
    const left = this.#left;
    if (this.#rest.length >= left) {
      const body = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(left);
      const whole = this.#parts.length === 0 ? body : Buffer.concat([...this.#parts, body]);
      this.#parts = [];
      return this.#finishBody(whole.toString());
    }
    this.#parts.push(this.#rest);
    this.#left -= this.#rest.length;
    this.#rest = NOTHING;
    return false;
  }

  #readChunks(body: ChunkedBody): boolean {
    try {
      this.#rest = this.#rest.subarray(body.take(this.#rest));
    } catch {
      return this.#refuse(400, "400 Bad Request");
    }
    if (!body.complete) return false;
    this.#chunked = undefined;
    return this.#finishBody(body.text());
  }

  #finishBody(text: string): boolean {
    const { verdict } = this.#request as Request;
    this.#state = "head";
    if (!verdict.process) return this.#respond(verdict.text);
    const answer = this.#service.answer(text);
    if (typeof answer === "string") return this.#respond(answer === "" ? "" : `${answer}\n`);
    this.#state = "answering";
    this.deadline = Number.POSITIVE_INFINITY;
    void answer.then((later) => this.#answerLater(later));
    return false;
  }

  #answerLater(answer: string): void {
    if (this.#state !== "answering") return;
    this.#state = "head";
    this.#respond(answer === "" ? "" : `${answer}\n`);
    this.#socket.resume();
    this.#work();
  }

  /** @returns whether another request may follow */
  #respond(body: string): boolean {
    const { head, verdict, keepAlive, connection } = this.#request as Request;
    const headOnly = head.method === "HEAD";
    this.#out += responseText({
      status: verdict.status,
      headers: verdict.headers,
      body,
      connection,
      headOnly,
    });
    this.deadline = this.#service.now() + Limit.idle;
    if (!keepAlive) this.#last = true;
    return !this.#last;
  }

  #refuse(status: number, message: string): false {
    const headers = "Content-Type: text/plain; charset=utf-8\r\n";
    this.#out += responseText({ status, headers, body: message, connection: "Connection: close\r\n" });
    return this.#discard();
  }

  /** The answer needs no body: sends it and lets the client finish sending in vain. */
  #discardAfterAnswer(): false {
    this.#respond((this.#request as Request).verdict.text);
    return this.#discard();
  }

  #discard(): false {
    this.#flush();
    this.#end();
    return false;
  }

  #flush(): void {
    if (this.#out === "") return;
    const out = this.#out;
    this.#out = "";
    if (this.#socket.write(out)) return;
    this.#socket.pause();
    this.deadline = this.#service.now() + Limit.request;
  }

  #onDrain(): void {
    if (this.#state === "closed") return;
    this.#socket.resume();
    this.deadline = this.#service.now() + Limit.idle;
  }

  #onEnd(): void {
    this.#halfClosed = true;
    if (this.#state !== "answering") this.#end();
  }

  /** Sends what is left and closes; what still comes in is thrown away, so that the answer survives. */
  #end(): void {
    if (this.#state === "discarding" || this.#state === "closed") return;
    this.#state = "discarding";
    this.#flush();
    this.#socket.end();
    this.#socket.resume();
    this.#rest = NOTHING;
    this.deadline = this.#service.now() + Limit.linger;
  }

  #upgrade(head: Head): false {
    this.#flush();
    this.#state = "closed";
    this.deadline = Number.POSITIVE_INFINITY;
    this.#socket.removeAllListeners();
    this.#service.upgrade(head, this.#socket, this.#rest);
    return false;
  }
}
