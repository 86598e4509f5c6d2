import type { ByteStream } from "../../../platform/runtime/network.ts";
import type { Cancel, Runtime } from "../../../platform/runtime/runtime.ts";
import { atPace, type Pace } from "../../../platform/runtime/turns/pace.ts";
import { TimeSlice } from "../../../platform/runtime/turns/time-slice.ts";
import { PeerError } from "../errors.ts";
import { type FrameReader, type FrameWriter, MAX_FRAME_BYTES } from "../rlpx/frames.ts";
import type { SharedCapability } from "../wire/capabilities.ts";
import { DisconnectReason, decodeDisconnect, encodeDisconnect } from "../wire/disconnect.ts";
import type { Hello } from "../wire/hello.ts";
import { decodeMessageInSteps, encodeMessage, type SharedPayload } from "../wire/message.ts";
import type { StreamReader } from "./stream-reader.ts";
import type { Traffic } from "./traffic.ts";

const PING_INTERVAL_MS = 15_000;
/** A peer that sends no complete message for this long counts as gone. */
const READ_TIMEOUT_MS = 30_000;
/** What was written must be taken within this time. */
const WRITE_TIMEOUT_MS = 20_000;
/** A peer with more unread bytes than this is dropped. */
const MAX_UNSENT_BYTES = 32 << 20;
/** Bytes of queued messages beyond which the peer has to wait. */
const MAX_WAITING_BYTES = 16 << 20;
/** Overhead counted for each queued frame, so that empty ones are not free. */
const FRAME_COST_BYTES = 256;
/** With this many unread bytes the peer gets no more responses until it has read. */
const MAX_UNREAD_BYTES = 4 << 20;
const UNREAD_PAUSE_MS = 20;
/** One time slice shared by the messages of all peers. */
const slice = new TimeSlice();
const EMPTY_LIST = Uint8Array.of(0xc0);
const BASE_CODES = 16;
const BaseCode = { disconnect: 1, ping: 2, pong: 3 } as const;

/** Receives the messages of a session, one at a time. @throws what ends the session */
export type MessageHandler = (code: number, payload: Uint8Array) => void | Promise<void>;

/** What a session is built from. */
export interface SessionParts {
  readonly stream: ByteStream;
  readonly source: StreamReader;
  readonly writer: FrameWriter;
  readonly reader: FrameReader;
  readonly hello: Hello;
  readonly shared: readonly SharedCapability[];
  readonly connectionType: number;
  readonly isInbound: boolean;
  readonly snappy: boolean;
  /** Absent = not counted. */
  readonly traffic?: Traffic | undefined;
  readonly runtime: Pick<Runtime, "clock" | "timers">;
}

/** A connection to an authenticated node. */
export class PeerSession {
  readonly hello: Hello;
  readonly shared: readonly SharedCapability[];
  readonly connectionType: number;
  readonly isInbound: boolean;
  readonly stream: ByteStream;
  /** Resolves with the reason when the session is over. */
  readonly ended: Promise<DisconnectReason>;
  /** Of work for this peer, which shares the slice of all peers' messages. Ends the work of a session that is over. */
  readonly pace: Pace = {
    isDue: () => slice.isDue(),
    giveWay: async () => {
      await slice.giveWay("readings", this);
      if (this.#isOver) throw new PeerError("MESSAGE", "the session is over", { isInnocent: true });
    },
  };
  readonly #parts: SessionParts;
  #handler: MessageHandler | undefined;
  #resolveEnded!: (reason: DisconnectReason) => void;
  #isOver = false;
  #isBusy = false;
  readonly #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #isPaused = false;
  #lastMessage: number;
  #written = 0;
  /** Bytes acknowledged by the peer, and when that last increased. */
  #taken = { bytes: 0, at: 0 };
  #cancelBeat: Cancel;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    const { hello, shared, connectionType, isInbound, stream } = parts;
    this.hello = hello;
    this.shared = shared;
    this.connectionType = connectionType;
    this.isInbound = isInbound;
    this.stream = stream;
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
    parts.reader.allow(MAX_FRAME_BYTES);
    this.#lastMessage = parts.runtime.clock.elapsed();
    this.#taken = { bytes: 0, at: this.#lastMessage };
    this.#cancelBeat = parts.runtime.timers.schedule(PING_INTERVAL_MS, () => this.#beat());
  }

  /** Starts delivering messages. Codes count from 16 on, with the first shared protocol. */
  start(handler: MessageHandler): void {
    this.#handler = handler;
    this.#parts.source.handOver(
      (bytes) => this.#take(bytes),
      () => this.#end(DisconnectReason.networkError),
    );
  }

  /** Bytes that the peer has not read yet. */
  get unsent(): number {
    return this.stream.unsent;
  }

  /** Sends a message; does nothing once the session is over. */
  send(code: number, payload: Uint8Array | SharedPayload): void {
    if (this.#isOver) return;
    const frame = this.#parts.writer.write(encodeMessage({ code, payload }, this.#parts.snappy));
    this.#written += frame.length;
    this.#parts.traffic?.sent(frame.length);
    this.stream.write(frame);
    if (this.stream.unsent > MAX_UNSENT_BYTES) this.#end(DisconnectReason.networkError, true);
  }

  /** Ends the session with a reason for the peer. */
  disconnect(reason: DisconnectReason): void {
    if (this.#isOver) return;
    this.send(BaseCode.disconnect, encodeDisconnect(reason));
    this.#end(reason);
  }

  #take(bytes: Uint8Array): void {
    if (this.#isOver) return;
    const { reader, traffic } = this.#parts;
    traffic?.received(bytes.length);
    reader.push(bytes);
    try {
      for (let body = reader.next(); body !== undefined; body = reader.next()) {
        this.#waiting.push(body);
        this.#waitingBytes += body.length + FRAME_COST_BYTES;
        this.#lastMessage = this.#parts.runtime.clock.elapsed();
      }
    } catch {
      this.disconnect(DisconnectReason.breachOfProtocol);
      return;
    }
    this.#pauseOrResume();
    void this.#work();
  }

  /** Delivers queued messages, one at a time. */
  async #work(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      for (
        let body = this.#waiting.shift();
        body !== undefined && !this.#isOver;
        body = this.#waiting.shift()
      ) {
        this.#waitingBytes -= body.length + FRAME_COST_BYTES;
        const steps = decodeMessageInSteps(body, this.#parts.snappy);
        const read = atPace(this.pace, steps);
        // What is read at once is acted on before the connection can be seen to end.
        const { code, payload } = read instanceof Promise ? await read : read;
        if (code < BASE_CODES) this.#takeBase(code, payload);
        else await this.#handler?.(code, payload);
        this.#pauseOrResume();
        await this.#othersTurn();
      }
    } catch (error) {
      this.disconnect(reasonOf(error));
    } finally {
      this.#isBusy = false;
    }
  }

  /** Yields, and lets the peer read its responses, before its next message is processed. */
  async #othersTurn(): Promise<void> {
    if (this.pace.isDue()) await this.pace.giveWay();
    while (!this.#isOver && this.stream.unsent > MAX_UNREAD_BYTES) {
      await new Promise<void>(
        (resolve) => void this.#parts.runtime.timers.schedule(UNREAD_PAUSE_MS, resolve),
      );
    }
  }

  #takeBase(code: number, payload: Uint8Array): void {
    if (code === BaseCode.ping) this.send(BaseCode.pong, EMPTY_LIST);
    else if (code === BaseCode.disconnect) this.#end(decodeDisconnect(payload));
  }

  #pauseOrResume(): void {
    const full = this.#waitingBytes > MAX_WAITING_BYTES;
    if (full === this.#isPaused) return;
    this.#isPaused = full;
    if (full) this.stream.pause();
    else this.stream.resume();
  }

  /** Sends pings, and ends the session when the peer is dead. */
  #beat(): void {
    const now = this.#parts.runtime.clock.elapsed();
    const { unsent } = this.stream;
    const bytes = this.#written - unsent;
    if (unsent === 0 || bytes > this.#taken.bytes) this.#taken = { bytes, at: now };
    const isSilent = !this.#isPaused && !this.#isBusy && now - this.#lastMessage > READ_TIMEOUT_MS;
    const isStuck = now - this.#taken.at > WRITE_TIMEOUT_MS;
    if (isSilent || isStuck) {
      this.#end(isSilent ? DisconnectReason.readTimeout : DisconnectReason.networkError, true);
      return;
    }
    this.send(BaseCode.ping, EMPTY_LIST);
    this.#cancelBeat = this.#parts.runtime.timers.schedule(PING_INTERVAL_MS, () => this.#beat());
  }

  #end(reason: DisconnectReason, now = false): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#cancelBeat();
    this.#waiting.length = 0;
    this.stream.close(now);
    this.#resolveEnded(reason);
  }
}

function reasonOf(error: unknown): DisconnectReason {
  const { reason } = error instanceof PeerError ? (error.details as { reason?: number }) : {};
  return reason ?? DisconnectReason.subprotocolError;
}
