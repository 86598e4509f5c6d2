import type { ByteStream } from "../../../platform/runtime/network.ts";
import type { Cancel, Runtime } from "../../../platform/runtime/runtime.ts";
import type { Holder, SharedBytes } from "../../../platform/runtime/shared-bytes.ts";
import { type Pace, runPaced } from "../../../platform/runtime/turns/pace.ts";
import { PeerError } from "../errors.ts";
import { type FrameReader, type FrameWriter, MAX_FRAME_BYTES } from "../rlpx/frames.ts";
import type { SharedCapability } from "../wire/capabilities.ts";
import { DisconnectReason, decodeDisconnect, encodeDisconnect } from "../wire/disconnect.ts";
import type { Hello } from "../wire/hello.ts";
import { decodeMessageInSteps, encodeMessage, type SharedPayload } from "../wire/message.ts";
import { peerSlice as slice } from "./peer-slice.ts";
import type { StreamReader } from "./stream-reader.ts";
import type { Traffic } from "./traffic.ts";

const PING_INTERVAL_MS = 15_000;
/** A peer that sends no complete message for this long is disconnected. */
const READ_TIMEOUT_MS = 30_000;
/** Data must be acknowledged within this time. */
const WRITE_TIMEOUT_MS = 20_000;
/** A peer with more unsent bytes than this is disconnected. */
const MAX_UNSENT_BYTES = 32 << 20;
/** Bytes of queued messages above which reading is paused. */
const MAX_QUEUED_BYTES = 16 << 20;
/** Overhead counted per queued frame, so that empty ones are not free. */
const FRAME_COST_BYTES = 256;
/** With this many unsent bytes, no more messages of the peer are processed until it has read. */
const BACKPRESSURE_BYTES = 4 << 20;
const BACKPRESSURE_POLL_MS = 20;
const EMPTY_LIST = Uint8Array.of(0xc0);
const BASE_CODES = 16;
const BaseCode = { disconnect: 1, ping: 2, pong: 3 } as const;

/** Handles the messages of a session, one at a time. An error thrown here ends the session. */
export type MessageHandler = (code: number, payload: Uint8Array) => void | Promise<void>;

/** Dependencies of a session. */
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
  /** Incomplete, waiting and handled messages of all peers; absent = no limit for all together. */
  readonly received?: SharedBytes | undefined;
  readonly runtime: Pick<Runtime, "clock" | "timers">;
}

/** A connection to an authenticated node. */
export class PeerSession implements Holder {
  readonly hello: Hello;
  readonly shared: readonly SharedCapability[];
  readonly connectionType: number;
  readonly isInbound: boolean;
  readonly stream: ByteStream;
  /** Resolves with the reason when the session ends. */
  readonly ended: Promise<DisconnectReason>;
  /** The pace of work for this peer, which shares a time slice with all peers. Throws once the session has ended. */
  readonly pace: Pace = {
    isDue: () => slice.isDue(),
    yield: async () => {
      await slice.yield("reads", this);
      if (this.#hasEnded) throw new PeerError("MESSAGE", "the session has ended", { isInnocent: true });
    },
  };
  readonly #parts: SessionParts;
  #handler: MessageHandler | undefined;
  #resolveEnded!: (reason: DisconnectReason) => void;
  #hasEnded = false;
  #isBusy = false;
  readonly #queue: Uint8Array[] = [];
  #queuedBytes = 0;
  /** Bytes of the message being handled, once decompressed, and of what it is decoded into. */
  #handledBytes = 0;
  #isPaused = false;
  #lastMessage: number;
  #written = 0;
  /** Bytes acknowledged by the peer, and the time of the last increase. */
  #acknowledged = { bytes: 0, at: 0 };
  #cancelHeartbeat: Cancel;

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
    this.#acknowledged = { bytes: 0, at: this.#lastMessage };
    this.#cancelHeartbeat = parts.runtime.timers.schedule(PING_INTERVAL_MS, () => this.#heartbeat());
  }

  /** Starts delivering messages. Codes start at 16, with the first shared capability. */
  start(handler: MessageHandler): void {
    this.#handler = handler;
    this.#parts.source.handOver(
      (bytes) => this.#receive(bytes),
      () => this.#end(DisconnectReason.networkError),
    );
  }

  /** Counts memory that the message being handled takes besides its payload, as long as it is handled. */
  holds(bytes: number): void {
    this.#handledBytes += bytes;
    this.#countReceived();
  }

  /** Bytes not yet sent. */
  get unsent(): number {
    return this.stream.unsent;
  }

  /** Sends a message; does nothing once the session has ended. */
  send(code: number, payload: Uint8Array | SharedPayload): void {
    if (this.#hasEnded) return;
    const frame = this.#parts.writer.write(encodeMessage({ code, payload }, this.#parts.snappy));
    this.#written += frame.length;
    this.#parts.traffic?.sent(frame.length);
    this.stream.write(frame);
    if (this.stream.unsent > MAX_UNSENT_BYTES) this.#end(DisconnectReason.networkError, true);
  }

  /** Sends the reason to the peer and ends the session. */
  disconnect(reason: DisconnectReason): void {
    if (this.#hasEnded) return;
    this.send(BaseCode.disconnect, encodeDisconnect(reason));
    this.#end(reason);
  }

  #receive(bytes: Uint8Array): void {
    if (this.#hasEnded) return;
    const { reader, traffic } = this.#parts;
    traffic?.received(bytes.length);
    reader.push(bytes);
    try {
      for (let body = reader.next(); body !== undefined; body = reader.next()) {
        this.#queue.push(body);
        this.#queuedBytes += body.length + FRAME_COST_BYTES;
        this.#lastMessage = this.#parts.runtime.clock.elapsed();
      }
    } catch {
      this.disconnect(DisconnectReason.breachOfProtocol);
      return;
    }
    this.#pauseOrResume();
    this.#countReceived();
    void this.#work();
  }

  /** Delivers queued messages, one at a time. */
  async #work(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      for (
        let body = this.#queue.shift();
        body !== undefined && !this.#hasEnded;
        body = this.#queue.shift()
      ) {
        const size = body.length + FRAME_COST_BYTES;
        const steps = decodeMessageInSteps(body, this.#parts.snappy);
        const read = runPaced(this.pace, steps);
        // Awaited only if necessary: otherwise the message is handled before the end of the connection can be noticed.
        const { code, payload } = read instanceof Promise ? await read : read;
        this.#handledBytes = payload.length;
        this.#countReceived();
        if (code < BASE_CODES) this.#handleBase(code, payload);
        else await this.#handler?.(code, payload);
        this.#queuedBytes -= size;
        this.#handledBytes = 0;
        this.#pauseOrResume();
        this.#countReceived();
        await this.#yield();
      }
    } catch (error) {
      this.disconnect(reasonOf(error));
    } finally {
      this.#isBusy = false;
    }
  }

  /** Yields, and waits for the peer to read its responses, before the next message is processed. */
  async #yield(): Promise<void> {
    if (this.pace.isDue()) await this.pace.yield();
    while (!this.#hasEnded && this.stream.unsent > BACKPRESSURE_BYTES) {
      await new Promise<void>(
        (resolve) => void this.#parts.runtime.timers.schedule(BACKPRESSURE_POLL_MS, resolve),
      );
    }
  }

  #handleBase(code: number, payload: Uint8Array): void {
    if (code === BaseCode.ping) this.send(BaseCode.pong, EMPTY_LIST);
    else if (code === BaseCode.disconnect) this.#end(decodeDisconnect(payload));
  }

  #countReceived(): void {
    if (this.#hasEnded) return;
    const { received, reader } = this.#parts;
    received?.set(this, this.#queuedBytes + this.#handledBytes + reader.held);
  }

  /** Ends the session: all peers together have sent too much, and this one the most. */
  cutOff(): void {
    this.#end(DisconnectReason.networkError, true);
  }

  #pauseOrResume(): void {
    const full = this.#queuedBytes > MAX_QUEUED_BYTES;
    if (full === this.#isPaused) return;
    this.#isPaused = full;
    if (full) this.stream.pause();
    else this.stream.resume();
  }

  /** Sends a ping, or ends the session if the peer is dead. */
  #heartbeat(): void {
    const now = this.#parts.runtime.clock.elapsed();
    const { unsent } = this.stream;
    const bytes = this.#written - unsent;
    if (unsent === 0 || bytes > this.#acknowledged.bytes) this.#acknowledged = { bytes, at: now };
    const isSilent = !this.#isPaused && !this.#isBusy && now - this.#lastMessage > READ_TIMEOUT_MS;
    const isStuck = now - this.#acknowledged.at > WRITE_TIMEOUT_MS;
    if (isSilent || isStuck) {
      this.#end(isSilent ? DisconnectReason.readTimeout : DisconnectReason.networkError, true);
      return;
    }
    this.send(BaseCode.ping, EMPTY_LIST);
    this.#cancelHeartbeat = this.#parts.runtime.timers.schedule(PING_INTERVAL_MS, () => this.#heartbeat());
  }

  #end(reason: DisconnectReason, now = false): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#cancelHeartbeat();
    this.#queue.length = 0;
    this.#parts.received?.set(this, 0);
    this.stream.close(now);
    this.#resolveEnded(reason);
  }
}

function reasonOf(error: unknown): DisconnectReason {
  const { reason } = error instanceof PeerError ? (error.details as { reason?: number }) : {};
  return reason ?? DisconnectReason.subprotocolError;
}
