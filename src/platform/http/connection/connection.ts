// One state machine per connection: any socket or timer event may change any part of its state.
import { copyInOwnMemory } from "../../runtime/buffers.ts";
import type { ClientSocket } from "../../sockets/client-socket.ts";
import { joinAndWipe } from "../../sockets/join-and-wipe.ts";
import type { ConnectionBudget } from "../budget.ts";
import { HttpCaller } from "../client.ts";
import { continueWith, createGuard, type Guard } from "../guard.ts";
import type { Pieces } from "../pieces.ts";
import { type HttpService, type LongReply, TEXT_HEADERS, type Verdict } from "../service.ts";
import { BodyError } from "./body-buffer.ts";
import { type Framing, framingOf, type Head, keepsAlive, MAX_HEAD, parseHead } from "./head.ts";
import type { JointFlush } from "./joint-flush.ts";
import { Outflow } from "./outflow.ts";
import { RequestBody } from "./request-body.ts";
import { connectionLine } from "./response.ts";
import { ResponseWriter } from "./response-writer.ts";

/** What a connection needs from its listener. */
export interface ConnectionParts {
  readonly service: HttpService;
  readonly budget: ConnectionBudget;
  /** Limits shared by all connections of the listener. */
  readonly joint: JointFlush;
  /** Takes memory for a body from the budget, if need be at the expense of others that are slow. @returns whether there was enough */
  takeForBody(bytes: number, connection: HttpConnection): boolean;
  /** Seconds since the listener started; steps of one. */
  now(): number;
  /** Called with an error thrown by a handler; the connection is ended. */
  onFault(error: unknown): void;
}

/**
 * Further time limits for a client, in seconds, beside those of the budget; `slowBody` is no limit until its place is needed, `turn` is for a TLS handshake that waits for
 * its turn.
 */
export const Limit = {
  slowBody: 2,
  turn: 30,
  linger: 2,
} as const;
/** Bytes of empty lines before a request; some clients send one. @see RFC 9112, 2.2 */
const MAX_EMPTY_LINES = 1024;
/** Bytes of input that are read and dropped after the last response: three times the longest body by default. */
const MAX_DISCARDED = 16 * 1024 * 1024;
/** Said with each response after which the connection ends. @see RFC 9112, 9.6 */
const CLOSE = connectionLine(1, false);
const END_OF_HEAD = Buffer.from("\r\n\r\n");
/** Bytes up to which a head that a client repeats is kept, so that its next request is recognised. */
const MAX_KNOWN_HEAD = 2048;
const EMPTY = Buffer.alloc(0);

type State = "head" | "body" | "answering" | "discarding" | "upgraded" | "closed";

interface Request {
  readonly head: Head;
  readonly framing: Framing | undefined;
  readonly verdict: Verdict;
  readonly keepAlive: boolean;
  readonly connection: string;
}

/**
 * One HTTP/1.x connection: keep-alive, pipelining, bodies by length and in chunks, `Expect: 100-continue`, half-closed
 * clients. Responses are sent in the order of the requests; while one is being built, or waits for the client to read it,
 * nothing further is read. Written by hand because Node's own server takes about three times the CPU time per small request.
 */
export class HttpConnection {
  /** Second at which the listener ends the connection; see `now`. */
  deadline: number;
  readonly #socket: ClientSocket;
  readonly #parts: ConnectionParts;
  readonly #guard: Guard;
  readonly #out: Outflow;
  readonly #writer: ResponseWriter;
  readonly #body: RequestBody;
  #state: State = "head";
  #rest: Buffer = EMPTY;
  #request: Request | undefined;
  #headText = "";
  /** Bytes of `#headText` with the empty line, once it has been repeated. */
  #knownHead: Buffer = EMPTY;
  /** Bytes of empty lines since the last request. */
  #emptyLines = 0;
  #discarded = 0;
  #client: HttpCaller;
  /** Requests are buffered, and it is other connections' turn. */
  #awaitsTurn = false;
  /** No request will be read after the current one. */
  #last = false;
  /** The client has closed its sending side. */
  #halfClosed = false;

  constructor(socket: ClientSocket, parts: ConnectionParts) {
    this.#socket = socket;
    this.#parts = parts;
    this.#guard = createGuard(() => this.close(), parts.onFault);
    this.#out = new Outflow(socket, parts.budget.unsent, this.#guard, this);
    this.#writer = new ResponseWriter(this.#out);
    this.#body = new RequestBody(parts.service.maxBody, {
      take: (bytes) => parts.takeForBody(bytes, this),
      give: (bytes) => parts.budget.bodies.give(bytes),
    });
    this.#client = new HttpCaller(socket.remoteAddress ?? "", this);
    this.deadline = parts.now() + parts.budget.times.head;
    socket.setNoDelay(true);
    socket.on("data", this.#onData);
    socket.on("end", this.#onEnd);
    socket.on("drain", this.#onDrain);
    socket.on("error", this.#onError);
    socket.once("finish", this.#onFinish);
    socket.once("close", () => this.#guard(() => this.close()));
  }

  /** Whether it is idle and may be closed to make room. */
  get isIdle(): boolean {
    return this.#state === "head" && !this.#awaitsTurn && !this.#out.isFull;
  }

  /** Whether its body is so long in coming that it may be closed to make room for others. */
  get isSlow(): boolean {
    return (
      this.#state === "body" &&
      this.deadline <= this.#parts.now() + this.#parts.budget.times.body - Limit.slowBody
    );
  }

  /** Bytes of the budget for bodies that closing it would free. */
  get bodyBytes(): number {
    return this.#body.taken;
  }

  /**
   * Copies part of a body from where it was read, in memory that is used again: a copy for each read would be garbage at once.
   * @returns whether it did; otherwise a copy is expected as `data`
   */
  readonly takeRead = (bytes: Buffer): boolean => {
    if (this.#state !== "body" || this.#rest.length > 0 || !this.#body.isInside(bytes.length)) return false;
    this.#guard(this.#receive, bytes);
    return true;
  };

  /** Ends the connection now. */
  close(): void {
    this.#socket.destroy();
    if (this.#state === "closed") return;
    this.#state = "closed";
    this.#rest = EMPTY;
    this.#body.release();
    this.#client.leave();
  }

  /** Called at its deadline, in a guard: closes the connection, after a response if one is due. */
  expire(): void {
    if (this.#state === "answering") {
      this.#client.leave();
      this.#refuse(503, "timeout");
      return;
    }
    const { refusals, unsent } = this.#parts.budget;
    if (this.#out.unsent > 0) unsent.noteCut();
    else if (this.#state === "body" || this.#rest.length > 0) refusals?.note(408);
    this.close();
  }

  /** Closes the connection once the current response has been sent. */
  finish(): void {
    this.#last = true;
    if (this.#state === "head" || this.#state === "body") this.#guard(() => this.#end());
  }

  /** Aborts the current response. */
  interrupt(): void {
    if (this.#state === "answering") this.#guard(() => this.#client.leave());
  }

  readonly #onData = (chunk: Buffer): void => this.#guard(this.#receive, chunk);
  readonly #onEnd = (): void => this.#guard(() => this.#endOfInput());
  readonly #onDrain = (): void => this.#guard(() => this.#goOn());
  readonly #onError = (): void => this.#guard(() => this.close());
  readonly #onFinish = (): void =>
    this.#guard(() => {
      if (this.#state === "discarding") this.#setDeadline(Limit.linger);
    });

  readonly #receive = (chunk: Buffer): void => {
    if (this.#state === "closed") return;
    if (this.#state === "discarding") {
      this.#drop(chunk.length);
      return;
    }
    this.#rest = this.#rest.length === 0 ? chunk : joinAndWipe(this.#rest, chunk);
    if (this.#state === "answering" || this.#awaitsTurn || this.#out.isFull) {
      if (this.#rest.length > MAX_HEAD) this.#socket.pause();
      return;
    }
    this.#work();
  };

  /** Drops input, one read per turn: the system would hand out a megabyte and more at a time. */
  #drop(bytes: number): void {
    this.#discarded += bytes;
    if (this.#discarded > MAX_DISCARDED) {
      this.close();
      return;
    }
    this.#socket.pause();
    const goOn = (): void => void this.#socket.resume();
    continueWith(this.#parts.budget.slice.yield("clients", this), this.#guard, goOn);
  }

  /** Handles buffered requests and parts of bodies until one has to wait, or the client has to read. */
  #work(): void {
    this.#parts.joint.beforeRequest();
    let mayYield = false;
    while (!this.#last && this.#rest.length > 0 && (this.#state === "head" || this.#state === "body")) {
      if (this.#out.isFull) break;
      const isHead = this.#state === "head";
      if (mayYield && this.#parts.budget.slice.isDue()) {
        this.#workLater();
        return;
      }
      const moved = isHead ? this.#readHead() : this.#readBody();
      if (!moved) break;
      mayYield = !isHead || this.#state === "head";
    }
    if (this.#canDeferFlush()) {
      this.#parts.joint.add(this.#flushLater);
      return;
    }
    this.#flush();
    const isDone = this.#state !== "answering" && this.#state !== "upgraded" && !this.#out.isFull;
    if (isDone && (this.#last || this.#halfClosed)) this.#end();
  }

  /** A client that pipelines many requests, or sends a body in many chunks, yields to the others. */
  #workLater(): void {
    this.#flush();
    this.#socket.pause();
    this.#awaitsTurn = true;
    continueWith(this.#parts.budget.slice.yield("clients", this), this.#guard, () => {
      this.#awaitsTurn = false;
      this.#goOn();
    });
  }

  /** Called when the output has drained, or it is this client's turn again. */
  #goOn(): void {
    if (this.#state === "discarding") this.#setDeadline(this.#parts.budget.times.unread);
    if (this.#awaitsTurn || (this.#state !== "head" && this.#state !== "body")) return;
    if (this.#out.isFull) this.#setDeadline(this.#parts.budget.times.unread);
    else {
      if (this.#state === "head") this.#setDeadline(this.#parts.budget.times.idle);
      this.#socket.resume();
      this.#work();
    }
  }

  #setDeadline(seconds: number): void {
    this.deadline = this.#parts.now() + seconds;
  }

  /** Clients usually repeat the same head: only the body differs. */
  #readHead(): boolean {
    const { length } = this.#knownHead;
    if (
      length === 0 ||
      this.#rest.length < length ||
      this.#rest.compare(this.#knownHead, 0, length, 0, length) !== 0
    )
      return this.#readNewHead();
    this.#rest = this.#rest.length === length ? EMPTY : this.#rest.subarray(length);
    this.#emptyLines = 0;
    return this.#beginRequest(this.#headText);
  }

  #readNewHead(): boolean {
    let start = 0;
    while (this.#rest[start] === 0x0d || this.#rest[start] === 0x0a) start++;
    if (start > 0) this.#rest = this.#rest.subarray(start);
    this.#emptyLines += start;
    if (this.#emptyLines > MAX_EMPTY_LINES) return this.#refuse(400, "400 Bad Request");
    const end = this.#rest.indexOf(END_OF_HEAD);
    if (end < 0) {
      if (this.#rest.length > MAX_HEAD) this.#refuse(431, "request header fields too large");
      else if (this.#rest.length > 0)
        this.deadline = Math.min(this.deadline, this.#parts.now() + this.#parts.budget.times.head);
      return false;
    }
    const text = this.#rest.toString("latin1", 0, end);
    const isRepeated = text === this.#headText;
    if (!isRepeated) this.#request = undefined;
    this.#knownHead =
      isRepeated && end < MAX_KNOWN_HEAD ? copyInOwnMemory(this.#rest.subarray(0, end + 4)) : EMPTY;
    this.#rest = this.#rest.subarray(end + 4);
    this.#headText = text;
    this.#emptyLines = 0;
    return this.#beginRequest(text);
  }

  #beginRequest(text: string): boolean {
    if (this.#client.isWatched) this.#client = new HttpCaller(this.#client.address, this);
    if (this.#request === undefined || this.#request.verdict.once) {
      const head = parseHead(text);
      if (typeof head === "number") return this.#refuse(head, `${head} Bad Request`);
      const { service } = this.#parts;
      if (head.fields.upgrade !== undefined && service.upgrades?.(head)) return this.#upgrade(head);
      const keepAlive = keepsAlive(head);
      const verdict = service.admit(head, this.#client);
      const connection = connectionLine(head.minor, keepAlive && !verdict.close);
      this.#request = { head, framing: framingOf(head), verdict, keepAlive, connection };
    }
    const { verdict } = this.#request;
    if (verdict.close) return this.#discardAfterAnswer();
    return this.#beginBody(this.#request);
  }

  #beginBody({ head, framing, verdict }: Request): boolean {
    if (framing === undefined) return this.#refuse(400, "400 Bad Request");
    this.#setDeadline(this.#parts.budget.times.body);
    const { maxBody = this.#parts.service.maxBody } = verdict;
    if (framing !== "chunked" && framing.length === 0) return this.#finishBody(EMPTY);
    if (framing !== "chunked" && framing.length > maxBody)
      return verdict.handle === undefined
        ? this.#discardAfterAnswer()
        : this.#refuse(413, `body larger than ${maxBody} bytes`);
    if (head.fields.expect !== undefined && !this.#expect(head.fields.expect)) return false;
    this.#body.begin(framing, maxBody);
    this.#state = "body";
    return true;
  }

  #expect(expectation: string): boolean {
    if (expectation.toLowerCase() !== "100-continue") return this.#refuse(417, "417 Expectation Failed");
    this.#writer.writeContinue();
    return true;
  }

  /** @returns whether there is more to read */
  #readBody(): boolean {
    try {
      const body = this.#body.take(this.#rest);
      this.#rest = this.#body.rest;
      return body === undefined ? this.#rest.length > 0 : this.#finishBody(body);
    } catch (error) {
      if (!(error instanceof BodyError)) throw error;
      if (error.status === 400) return this.#refuse(400, "400 Bad Request");
      return this.#refuse(error.status, error.message, error.status === 503 ? "Retry-After: 1\r\n" : "");
    }
  }

  #finishBody(body: Buffer): boolean {
    const { head, verdict } = this.#request as Request;
    this.#state = "head";
    if (verdict.handle === undefined) return this.#respondAtOnce(verdict);
    const answer = verdict.handle(body, this.#client, head);
    if (!(answer instanceof Promise)) return this.#respond(answer);
    this.#flush();
    this.#state = "answering";
    this.#setDeadline(this.#parts.budget.times.answer);
    continueWith(answer, this.#guard, this.#answerLater);
    return false;
  }

  readonly #answerLater = (answer: string | Pieces | LongReply): void => {
    if (this.#state !== "answering") return;
    this.#state = "head";
    this.#respond(answer);
    if (this.#out.isFull) {
      this.#flush();
      return;
    }
    this.#socket.resume();
    this.#work();
  };

  /** @returns whether another request may follow */
  #respond(answer: string | Pieces | LongReply): boolean {
    const { head, verdict, keepAlive, connection } = this.#request as Request;
    if (!keepAlive) this.#last = true;
    const isBody = typeof answer === "string" || "pieces" in answer;
    const { status, headers } = isBody ? verdict : answer;
    this.#writer.answer(
      { status, headers, body: isBody ? answer : answer.body },
      this.#last ? CLOSE : connection,
      head.method === "HEAD",
    );
    this.#setDeadline(this.#parts.budget.times.idle);
    return !this.#last;
  }

  /** The response that the head alone determined. */
  #respondAtOnce({ status, text }: Verdict): boolean {
    if (status >= 400) this.#parts.budget.refusals?.note(status);
    return this.#respond(text);
  }

  #refuse(status: number, message: string, headers = ""): false {
    this.#parts.budget.refusals?.note(status);
    const reply = { status, headers: TEXT_HEADERS + headers, body: `${message}\n` };
    this.#writer.answer(reply, CLOSE, false);
    return this.#discard();
  }

  /** The response does not need the body: sends it and discards what the client still sends. */
  #discardAfterAnswer(): false {
    this.#last = true;
    this.#respondAtOnce((this.#request as Request).verdict);
    return this.#discard();
  }

  #discard(): false {
    this.#end();
    return false;
  }

  /** Whether the flush may be deferred and batched with those of other connections: this one stays open, and its client reads. */
  #canDeferFlush(): boolean {
    return this.#state === "head" && !this.#last && !this.#halfClosed && !this.#out.isFull;
  }

  readonly #flushLater = (): void => this.#guard(this.#flush);

  readonly #flush = (): void => {
    this.#writer.flush();
    if (!this.#out.isFull || this.#state === "upgraded") return;
    this.#socket.pause();
    this.#setDeadline(this.#parts.budget.times.unread);
  };

  /** Called when the client has disconnected or half-closed: work on its response may stop. */
  #endOfInput(): void {
    this.#halfClosed = true;
    if (this.#state === "answering") this.#client.leave();
    else if (!this.#out.isFull && !this.#awaitsTurn) this.#end();
  }

  /** Sends what is left and closes; further input is discarded, since closing with unread input would reset the connection. */
  #end(): void {
    if (this.#state === "discarding" || this.#state === "closed" || this.#state === "upgraded") return;
    this.#flush();
    this.#state = "discarding";
    this.#out.end();
    this.#socket.resume();
    this.#rest = EMPTY;
    this.#body.release();
    // Not `isFull`: what no longer waits here may still wait in an I/O process. Once the system has all of it, the client lingers.
    this.#setDeadline(this.#parts.budget.times.unread);
  }

  #upgrade(head: Head): false {
    this.#flush();
    this.#state = "upgraded";
    this.deadline = Number.POSITIVE_INFINITY;
    for (const [event, listener] of [
      ["data", this.#onData],
      ["end", this.#onEnd],
      ["drain", this.#onDrain],
      ["error", this.#onError],
    ] as const)
      this.#socket.off(event, listener);
    const rest = this.#rest;
    this.#rest = EMPTY;
    this.#parts.service.upgrade?.(head, this.#socket, rest);
    return false;
  }
}
