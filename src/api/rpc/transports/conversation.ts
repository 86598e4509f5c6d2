import { continueWith, createGuard, type Guard } from "../../../platform/http/guard.ts";
import { watchedByMany } from "../../../platform/runtime/signals.ts";
import type { RequestEnvelope } from "../engine/jsonrpc.ts";
import type { Access } from "../engine/registry.ts";
import { readRequest } from "../engine/request.ts";
import type { RpcServer } from "../engine/server.ts";
import { createPushSession } from "../engine/session.ts";
import type { Text } from "../spec/values/json-text.ts";

/** Maximum concurrent calls of one connection. */
const MAX_RUNNING = 256;

/** The connection that carries messages both ways. */
export interface Carrier {
  /** Sends one text, or cuts off a client that does not read. */
  send(text: Text): void;
  /** Whether the client must read before more is read from it; afterwards `Conversation.proceed` is called. */
  readonly isFull: boolean;
  /** Stops reading from the client. */
  pause(): void;
  resume(): void;
  /** Ends the connection at once. */
  cutOff(): void;
  /** Called after each answered message. */
  answered?(): void;
  /** Ends the connection over a message that is not a request. @returns whether it did */
  refuses?(envelope: RequestEnvelope): boolean;
}

/**
 * Message-based JSON-RPC with one client: calls run concurrently, events are pushed. Bounded both ways: while too many
 * calls run, or the client does not read its responses, nothing more is read from it.
 */
export class Conversation {
  /** For other work on behalf of this client. */
  readonly guard: Guard;
  readonly #server: RpcServer;
  readonly #access: Access;
  readonly #carrier: Carrier;
  readonly #ended = watchedByMany(new AbortController());
  readonly #session: ReturnType<typeof createPushSession>;
  /** Messages read and waiting: no more than one read of the socket holds. */
  #waiting: Buffer[] = [];
  #running = 0;
  #hasEnded = false;
  #isPaused = false;
  #isQueued = false;

  /** @param address - of the client, where it has one */
  constructor(server: RpcServer, access: Access, carrier: Carrier, address?: string) {
    this.#server = server;
    this.#access = access;
    this.#carrier = carrier;
    this.guard = createGuard(
      () => carrier.cutOff(),
      (error) => server.reportDefect("connection", error),
    );
    this.#session = createPushSession(access, this.#ended.signal, carrier, server, address);
  }

  /** Whether calls are in flight or waiting. */
  get isBusy(): boolean {
    return this.#running > 0 || this.#waiting.length > 0;
  }

  /** Whether the client waits for nothing: no call, no event. */
  get isIdle(): boolean {
    return !this.isBusy && this.#session.subscriptions.count === 0;
  }

  /** A message has arrived. @param text - its UTF-8 bytes, owned by the callee @param isFirst - of those that were read together */
  receive(text: Buffer, isFirst = false): void {
    if (this.#waiting.length === 0 && this.#mayProceed(isFirst)) this.#answer(text);
    else {
      this.#waiting.push(text);
      this.#wait();
    }
  }

  /** Bytes of the client were read: stops reading while other work is due. */
  yield(): void {
    if (!this.#mayProceed()) this.#wait();
  }

  /** Continues after the client has read, a call has ended, or this client's turn has come. */
  proceed(): void {
    for (let text = this.#waiting[0]; text !== undefined; text = this.#waiting[0]) {
      if (!this.#mayProceed()) {
        this.#wait();
        return;
      }
      this.#waiting.shift();
      this.#answer(text);
    }
    if (this.#carrier.isFull || !this.#isPaused) return;
    this.#isPaused = false;
    this.#carrier.resume();
  }

  /** The connection is gone: calls are aborted, subscriptions end. */
  end(): void {
    for (const text of this.#waiting) text.fill(0);
    this.#waiting = [];
    this.#hasEnded = true;
    this.#ended.abort();
    this.#session.subscriptions.close();
  }

  #mayProceed(isFirst = false): boolean {
    if (this.#running >= MAX_RUNNING || this.#carrier.isFull) return false;
    const { slice } = this.#server.budget;
    return isFirst ? !slice.isDueForSmall() : !slice.isDue();
  }

  #wait(): void {
    if (!this.#isPaused) {
      this.#isPaused = true;
      this.#carrier.pause();
    }
    if (this.#isQueued || this.#running >= MAX_RUNNING || this.#carrier.isFull) return;
    this.#isQueued = true;
    continueWith(this.#server.budget.slice.yield("clients", this), this.guard, () => {
      this.#isQueued = false;
      this.proceed();
    });
  }

  #answer(text: Buffer): void {
    if (!this.#hasEnded) this.guard(this.#answerNow, text);
  }

  readonly #answerNow = (text: Buffer): void => {
    const request = readRequest(text, this.#access.secrets);
    if (this.#carrier.refuses?.(request.envelope) === true) {
      this.#waiting = [];
      return;
    }
    const answer = this.#server.answerRequest(request, this.#session);
    if (!(answer instanceof Promise)) {
      this.#send(answer);
      this.#carrier.answered?.();
    } else this.#answerLater(answer);
  };

  #answerLater(answer: Promise<Text>): void {
    this.#running++;
    continueWith(answer, this.guard, (text) => {
      this.#running--;
      this.#send(text);
      this.proceed();
      this.#carrier.answered?.();
    });
  }

  #send(answer: Text): void {
    if (answer !== "") this.#carrier.send(answer);
    const { subscriptions } = this.#session;
    if (subscriptions.count > 0) subscriptions.release();
  }
}
