import type { Socket } from "node:net";
import { withRoom } from "../../runtime/buffers.ts";
import type { TimeSlice } from "../../runtime/turns/time-slice.ts";
import { continueWith, type Guard } from "../guard.ts";
import { type ClientHello, readClientHello } from "./client-hello.ts";

/** What a connection needs before its TLS handshake. */
export interface HelloParts {
  readonly slice: Pick<TimeSlice, "isDue" | "yield">;
  /** Runs its callbacks. */
  readonly guard: Guard;
  /** Second until which the ClientHello must be complete. */
  readonly deadline: number;
  /** Second until which the handshake must begin if it has to wait for its turn now. */
  lastTurn(): number;
  /** Begins the handshake. @param first - what was read: the ClientHello, and perhaps more */
  begin(hello: Exclude<ClientHello, string>, first: Buffer): void;
}

/**
 * A connection whose client has yet to begin the TLS handshake. OpenSSL does all the work of the server, a signature and a key exchange,
 * when it gets the complete ClientHello; that takes 1 to 6 ms, and a thousand connections may complete theirs in one turn of the event loop.
 * So it is read here first, and handshakes take turns. What is no TLS, and what never comes, costs nothing.
 */
export class AwaitedHello {
  /** Second at which the listener ends it. */
  deadline: number;
  /** Bytes of the budget for bodies that closing it would free. */
  readonly bodyBytes = 0;
  readonly isSlow = false;
  readonly #socket: Socket;
  readonly #parts: HelloParts;
  #bytes: Buffer = Buffer.alloc(0);
  #length = 0;
  #awaitsTurn = false;

  constructor(socket: Socket, parts: HelloParts) {
    this.#socket = socket;
    this.#parts = parts;
    this.deadline = parts.deadline;
    socket.on("data", this.#onData).on("end", this.#onEnd).on("error", this.#onEnd);
  }

  /** Whether it may be closed to make room. */
  get isIdle(): boolean {
    return !this.#awaitsTurn;
  }

  close(): void {
    this.#socket.destroy();
  }

  expire(): void {
    this.close();
  }

  finish(): void {
    this.close();
  }

  interrupt(): void {}

  readonly #onData = (chunk: Buffer): void => this.#parts.guard(() => this.#take(chunk));
  readonly #onEnd = (): void => this.close();

  #take(chunk: Buffer): void {
    this.#append(chunk);
    const hello = readClientHello(this.#bytes.subarray(0, this.#length));
    if (hello === "incomplete") return;
    if (hello === "invalid") {
      this.close();
      return;
    }
    this.#socket.pause();
    this.#socket.off("data", this.#onData);
    if (this.#parts.slice.isDue()) this.#beginInTurn(hello);
    else this.#begin(hello);
  }

  /** Bytes after the ClientHello are kept, too: at most one read. */
  #append(chunk: Buffer): void {
    const length = this.#length + chunk.length;
    if (this.#length === 0) this.#bytes = chunk;
    else {
      this.#bytes = withRoom(this.#bytes, this.#length, length);
      chunk.copy(this.#bytes, this.#length);
    }
    this.#length = length;
  }

  #beginInTurn(hello: Exclude<ClientHello, string>): void {
    this.#awaitsTurn = true;
    this.deadline = this.#parts.lastTurn();
    continueWith(this.#parts.slice.yield("clients", this), this.#parts.guard, () => {
      this.#awaitsTurn = false;
      this.#begin(hello);
    });
  }

  #begin(hello: Exclude<ClientHello, string>): void {
    if (this.#socket.destroyed) return;
    this.#socket.off("end", this.#onEnd).off("error", this.#onEnd);
    this.#parts.begin(hello, this.#bytes.subarray(0, this.#length));
  }
}
