import type { RawData, WebSocket } from "ws";
import type { JointFlush } from "../../../platform/http/connection/joint-flush.ts";
import { PIECE_OVERHEAD } from "../../../platform/http/connection/outflow.ts";
import { PIECE, piecesOf } from "../../../platform/http/pieces.ts";
import { MappedCopies } from "../../../platform/runtime/buffers.ts";
import type { ClientSocket } from "../../../platform/sockets/client-socket.ts";
import { CUT_SHORT } from "../../../protocol/codec/json/scanner.ts";
import { ErrorCode } from "../engine/errors.ts";
import { errorText, type RequestEnvelope } from "../engine/jsonrpc.ts";
import type { Access } from "../engine/registry.ts";
import type { RpcServer } from "../engine/server.ts";
import type { Text } from "../spec/values/json-text.ts";
import { asciiFrame } from "./ascii-frame.ts";
import { type Carrier, Conversation } from "./conversation.ts";
import { type IntakeRefusal, MessageIntake } from "./message-intake.ts";
import { ReadGate } from "./read-gate.ts";

const MIB = 1024 * 1024;
/** Bytes buffered for a client beyond which nothing is read from it. */
const FULL = 4 * MIB;
/** Overhead of a queued frame: two buffers, their requests and their entries in the queue. */
const FRAME_OVERHEAD = 2 * PIECE_OVERHEAD;
/** Time for a client to close after the reason for it was sent, in milliseconds. */
const LINGER_MS = 2000;
/** Policy violation, and try again later. @see RFC 6455, 7.4.1 and 11.7 */
const Code = { policy: 1008, busy: 1013 } as const;

const REFUSALS: Readonly<Record<IntakeRefusal, readonly [code: number, reason: string]>> = {
  busy: [Code.busy, "too many requests are coming in"],
  scattered: [Code.policy, "message in too many parts"],
};

/** Parts shared by all WebSockets of a listener. */
export interface WebSocketParts {
  readonly server: RpcServer;
  readonly access: Access;
  readonly joint: JointFlush;
}

/** One client on a WebSocket. */
export class WebSocketClient implements Carrier {
  readonly #webSocket: WebSocket;
  readonly #socket: ClientSocket;
  readonly #server: RpcServer;
  readonly #joint: JointFlush;
  readonly #conversation: Conversation;
  readonly #intake: MessageIntake;
  readonly #gate: ReadGate;
  /** Where what was read of an incomplete message is kept. */
  #partial: MappedCopies | undefined;
  /** Payload of the last unanswered ping. */
  #ping: Buffer | undefined;
  /** Whether the next message is the first of those that were read together. */
  #isFirst = false;
  /** Frames that may still be in the socket's queue. */
  #frames = 0;
  /** Whether small texts are buffered until the end of the turn. */
  #isGathering = false;
  /** Whether the client has not answered the last ping. */
  #isSilent = false;
  /** When the client last read something, or had nothing to read; monotonic, in milliseconds. */
  #readAt = performance.now();

  constructor(webSocket: WebSocket, socket: ClientSocket, { server, access, joint }: WebSocketParts) {
    this.#webSocket = webSocket;
    this.#socket = socket;
    this.#server = server;
    this.#joint = joint;
    this.#conversation = new Conversation(server, access, this, socket.remoteAddress);
    this.#intake = new MessageIntake(server.budget.bodies, server.limits.body, server.budget.times.body);
    const { guard } = this.#conversation;
    webSocket.on("message", (data) => guard(this.#receive, data));
    webSocket.on("ping", (data) =>
      guard(() => {
        this.#intake.addControlFrame(data.length);
        this.#ping = data;
      }),
    );
    webSocket.on("pong", (data) =>
      guard(() => {
        this.#intake.addControlFrame(data.length);
        this.#isSilent = false;
      }),
    );
    this.#gate = this.#gated();
    webSocket.on("error", () => guard(() => this.#linger()));
    webSocket.on("close", () => guard(() => this.#conversation.end()));
    socket.on("drain", () =>
      guard(() => {
        this.#count();
        this.#conversation.proceed();
      }),
    );
    socket.once("close", () =>
      guard(() => {
        server.budget.unsent.set(this, 0);
        this.#intake.release();
        this.#gate.end();
      }),
    );
  }

  /** Puts a gate in front of the library, which would parse all bytes of a read at once. */
  #gated(): ReadGate {
    const socket = this.#socket;
    const { guard } = this.#conversation;
    const [parse] = socket.listeners("data") as ((this: ClientSocket, bytes: Buffer) => void)[];
    if (parse === undefined) throw new TypeError("the WebSocket library does not listen to its socket");
    socket.off("data", parse);
    const parseBytes = (bytes: Buffer): void => {
      this.#isFirst = true;
      parse.call(socket, this.#kept(bytes));
      this.#hasRead(bytes.length);
    };
    const gate = new ReadGate(socket, this.#server.budget.slice, {
      guard,
      isPaused: () => this.#webSocket.isPaused,
      parse: (bytes) => guard(parseBytes, bytes),
    });
    const take = (bytes: Buffer): void => gate.take(bytes);
    socket.on("data", (bytes: Buffer) => guard(take, bytes));
    return gate;
  }

  /** A read that the library may keep, not as part of the 8 KiB of which Node.js makes small buffers, or of 64 KiB in the C library's heap. */
  #kept(bytes: Buffer): Buffer {
    if (!this.#intake.isPartial) {
      this.#partial = undefined;
      return bytes;
    }
    this.#partial ??= new MappedCopies();
    const copy = this.#partial.copy(bytes);
    bytes.fill(0); // may contain a secret
    return copy;
  }

  get isFull(): boolean {
    return this.#held > FULL;
  }

  /** Bytes of memory held by unsent data. */
  get #held(): number {
    return this.#webSocket.bufferedAmount + this.#frames * FRAME_OVERHEAD;
  }

  send(text: Text): void {
    if (this.#webSocket.readyState !== this.#webSocket.OPEN) return;
    const wasEmpty = this.#webSocket.bufferedAmount === 0;
    if (this.#held > this.#server.limits.backlog) this.#closeSlow();
    else if (typeof text === "string" && text.length <= PIECE) this.#sendJointly(text);
    else this.#sendPieces((typeof text === "string" ? piecesOf(text) : text).pieces);
    this.#hasSent(wasEmpty);
  }

  /** @param wasEmpty - whether the client had nothing to read before */
  #hasSent(wasEmpty: boolean): void {
    if (wasEmpty && this.#webSocket.bufferedAmount > 0) this.#readAt = performance.now();
    if (this.#socket.writableNeedDrain) this.#server.budget.unsent.set(this, this.#held);
    else this.#frames = 0;
  }

  #hasRead(bytes: number): void {
    const refusal = this.#intake.add(bytes);
    if (refusal === undefined) this.#pong();
    else this.#refuse(...REFUSALS[refusal]);
  }

  readonly #receive = (data: RawData): void => {
    this.#intake.end();
    this.#joint.beforeRequest();
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    this.#conversation.receive(inOnePiece(data), isFirst);
  };

  #sendJointly(text: string): void {
    const begins = this.#joint.isBusy && !this.#isGathering;
    if (begins) {
      this.#isGathering = true;
      this.#socket.cork();
    }
    this.#sendText(text);
    if (begins) this.#joint.add(this.#sendGathered);
    else if (!this.#isGathering) this.#joint.noteSent();
  }

  readonly #sendGathered = (): void =>
    this.#conversation.guard(() => {
      this.#isGathering = false;
      this.#socket.uncork();
    });

  #sendText(text: string): void {
    const frame = asciiFrame(text);
    if (frame === undefined) this.#sendFrame(text, true);
    else {
      this.#frames++;
      this.#socket.write(frame, "latin1");
    }
  }

  /** A message in fragments. */
  #sendPieces(pieces: readonly Uint8Array[]): void {
    const last = pieces.length - 1;
    for (const [i, piece] of pieces.entries()) this.#sendFrame(piece, i === last);
  }

  #sendFrame(part: string | Uint8Array, isLast: boolean): void {
    this.#frames++;
    this.#webSocket.send(part, { binary: false, fin: isLast });
  }

  #closeSlow(): void {
    this.#server.budget.unsent.noteCut();
    this.#webSocket.close(Code.policy, "too slow");
  }

  #refuse(code: number, reason: string): void {
    this.#webSocket.close(code, reason);
    this.#linger();
  }

  /** Why the connection ends has been sent: reads on until the client has seen it, and closes too. */
  #linger(): void {
    this.#socket.end();
    this.#gate.close(3 * this.#server.limits.body);
    const timer = setTimeout(() => this.#webSocket.terminate(), LINGER_MS);
    this.#socket.once("close", () => clearTimeout(timer));
  }

  pause(): void {
    this.#webSocket.pause();
  }

  resume(): void {
    this.#webSocket.resume();
    this.#gate.proceed();
  }

  cutOff(): void {
    this.#server.budget.unsent.noteCut();
    this.#webSocket.terminate();
  }

  /** As in the reference, a text that is not JSON ends the connection. */
  refuses(envelope: RequestEnvelope): boolean {
    if (envelope.kind === "malformed" && envelope.reason !== CUT_SHORT)
      this.send(errorText(undefined, { code: ErrorCode.parse, message: envelope.reason }));
    const isRefused = envelope.kind === "malformed" || envelope.kind === "empty";
    if (isRefused) this.#webSocket.close();
    return isRefused;
  }

  /** Cuts the client off when it no longer reads. @param pings whether to ping it */
  checkTimeouts(pings: boolean): void {
    this.#conversation.guard(() => this.#checkTimeouts(pings));
  }

  #checkTimeouts(pings: boolean): void {
    const isStalled = performance.now() - this.#readAt > this.#server.budget.times.unread * 1000;
    if (isStalled && this.#socket.writableNeedDrain) this.cutOff();
    else if (this.#intake.isLate(this.#socket.isPaused())) {
      this.#server.budget.refusals.note(408);
      this.#refuse(Code.policy, "request timed out");
    } else if (pings && this.#isSilent) this.cutOff();
    else if (pings) {
      this.#isSilent = true;
      this.#webSocket.ping();
    }
  }

  /**
   * Answers the last of the pings that were read together, as the standard allows: a client that only pings costs no response for
   * each.
   * @see RFC 6455, 5.5.3
   */
  #pong(): void {
    const ping = this.#ping;
    this.#ping = undefined;
    if (ping === undefined || this.#webSocket.readyState !== this.#webSocket.OPEN) return;
    const wasEmpty = this.#webSocket.bufferedAmount === 0;
    if (this.#held > this.#server.limits.backlog) this.cutOff();
    else {
      this.#frames++;
      this.#webSocket.pong(ping);
      this.#hasSent(wasEmpty);
    }
  }

  /** The socket has been drained. */
  #count(): void {
    this.#readAt = performance.now();
    this.#frames = 0;
    this.#server.budget.unsent.set(this, this.#held);
  }
}

/** A message as the library hands it over: one Buffer, as long as its `binaryType` is left alone. */
function inOnePiece(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}
