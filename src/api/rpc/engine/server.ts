// One class: however a call comes in, it is counted, limited, logged and answered by the same state.
import { completed } from "../../../ledger/state/missing-state.ts";
import { isObject, type Json } from "../../../protocol/codec/json/value.ts";
import { createBudget, type RpcBudget } from "../services/budget.ts";
import { clientOf } from "../services/caller.ts";
import { Deliveries } from "../services/deliveries.ts";
import { DEFAULT_LIMITS, type RpcLimits } from "../services/limits.ts";
import type { RateLimit } from "../services/rate-limit.ts";
import { Topics } from "../services/topics.ts";
import type { Text } from "../spec/values/json-text.ts";
import type { TokenCheck } from "../transports/token-check.ts";
import { answerBatch } from "./batch.ts";
import { BatchPreparation } from "./batch-preparation.ts";
import {
  ErrorCode,
  type ErrorObject,
  invalidRequest,
  isExpected,
  limitExceeded,
  methodNotFound,
  toErrorObject,
} from "./errors.ts";
import { errorText, type RequestEnvelope, type RpcMessage, resultText } from "./jsonrpc.ts";
import { hintForMethod } from "./near-miss.ts";
import { type BoundMethod, type Encoded, encoded, encodedText, namespaceOf } from "./registry.ts";
import { type ParsedRequest, parseRequest, readRequest, textOfRequest } from "./request.ts";
import type {
  CallCounts,
  CallInterceptor,
  CallObserver,
  DefectListener,
  ResponseText,
  ServerOptions,
} from "./server-options.ts";
import { createBatchSession, createObservedSession, type Session } from "./session.ts";
import { subscribe, unsubscribe } from "./subscribe.ts";

/** Texts of this many characters take so long to parse that others go first when the time slice is used up. */
const LONG_TEXT = 16 * 1024;
/** Logged characters of a method's name, which callers choose freely. */
const MAX_NAME_LENGTH = 60;
const RATE_EXCEEDED = "too many calls per second";
const TOO_MANY_CALLS = "too many calls in flight";

/** A method by name, its arguments as the caller gave them, and the caller. */
interface Called {
  readonly name: string;
  readonly params: Json | undefined;
  /** Undefined for an unknown method. */
  readonly bound: BoundMethod | undefined;
  readonly session: Session;
}

/** A call that is being answered. */
interface RunningCall extends Called {
  /** JSON text of its id. */
  readonly id: string;
  /** Counts the calls of the node. */
  readonly number: number;
  readonly startedMs: number;
}

/** Dispatches JSON-RPC texts and calls. A response that is ready at once is returned without a promise. */
export class RpcServer {
  readonly #onDefect: DefectListener;
  readonly #counts: CallCounts | undefined;
  readonly #observer: CallObserver | undefined;
  readonly #interceptor: ServerOptions["interceptor"];
  readonly #phrases: ReadonlyMap<string, string> | undefined;
  readonly #rate: RateLimit | undefined;
  readonly #log: ServerOptions["log"];
  readonly #showsRequestIds: boolean;
  readonly #preparation = new BatchPreparation();
  #requests = 0;
  /** End of the previous call, used once as the start of the next; otherwise 0. */
  #endedMs = 0;
  readonly budget: RpcBudget;
  readonly topics: Topics;
  readonly token: TokenCheck | undefined;
  readonly limits: { -readonly [K in keyof RpcLimits]: RpcLimits[K] };

  constructor(onDefect: DefectListener = () => {}, options: ServerOptions = {}) {
    this.#onDefect = onDefect;
    this.#counts = options.counts;
    this.#observer = options.observer;
    this.#interceptor = options.interceptor;
    this.#phrases = options.phrases;
    this.#rate = options.rate;
    this.#log = options.log;
    this.#showsRequestIds = options.showsRequestIds ?? false;
    this.token = options.token;
    this.budget = options.budget ?? createBudget();
    const onFault = (error: unknown) => onDefect("subscription", error);
    this.topics = new Topics(new Deliveries(this.budget.slice, onFault), onFault);
    this.limits = { ...DEFAULT_LIMITS, ...options.limits };
  }

  /** Reports a failure that has no caller to respond to. @param where - a method or a transport */
  reportDefect(where: string, error: unknown): void {
    this.#onDefect(where, error);
  }

  /** Counts a connection that can carry subscriptions: opened (1) or closed (-1). */
  countConnection(change: 1 | -1): void {
    this.#counts?.connections.add(change);
  }

  /** Limits the subscriptions per connection. */
  limitSubscriptions(max: number): void {
    this.limits.subscriptions = max;
  }

  /**
   * Answers one text: a message or a batch.
   * @param text - or its UTF-8, owned by the server: secrets in it are overwritten
   * @returns JSON without a line feed
   */
  answer(text: Buffer | string, session: Session): ResponseText {
    const { secrets } = session.access;
    if (text.length > LONG_TEXT) return this.#answerLong(text, session);
    return this.answerRequest(readRequest(text, secrets), session);
  }

  /** Lets others go first before and after decoding and parsing: the arguments take as long to decode. */
  #answerLong(text: Buffer | string, session: Session): ResponseText {
    const { slice } = this.budget;
    const inTurn = <T extends ResponseText>(work: () => T) =>
      slice.isDue() ? slice.yield("clients", clientOf(session)).then(work) : work();
    return inTurn(() => {
      const decoded = textOfRequest(text, session.access.secrets);
      return inTurn(() => {
        const read = parseRequest(decoded);
        return inTurn(() => this.answerRequest(read, session));
      });
    });
  }

  /** Answers a text that has been read, and wipes its secrets. A malformed one answers `parse error`. */
  answerRequest({ envelope, secrets }: ParsedRequest, session: Session): ResponseText {
    if (secrets.length > 0) return this.#answerAndWipe(envelope, secrets, session);
    return this.#answerEnvelope(envelope, session);
  }

  #answerAndWipe(
    envelope: RequestEnvelope,
    secrets: ParsedRequest["secrets"],
    session: Session,
  ): ResponseText {
    const wipe = (): void => {
      for (const secret of secrets) secret.wipe();
    };
    const answer = this.#answerEnvelope(envelope, session);
    if (answer instanceof Promise) return answer.finally(wipe);
    wipe();
    return answer;
  }

  #answerEnvelope(envelope: RequestEnvelope, session: Session): ResponseText {
    switch (envelope.kind) {
      case "single":
        return this.#answerMessage(envelope.message, session);
      case "batch":
        return this.#answerBatch(envelope.messages, session);
      case "empty":
        return "";
      case "malformed":
        return this.#refusal({ code: ErrorCode.parse, message: "parse error" });
      case "oversized":
        return this.#refusal(toErrorObject(invalidRequest("too many values in a request")));
    }
  }

  /**
   * Calls a method with positional arguments.
   * @returns the encoded result
   * @throws RpcError, InvalidParamsError or what the handler throws; the session's refusal
   */
  call(name: string, params: Json | undefined, session: Session): Encoded | Promise<Encoded> {
    return this.#call({ name, params, bound: session.access.methods.get(name), session });
  }

  #call(called: Called): Encoded | Promise<Encoded> {
    const { refusal } = called.session;
    if (refusal !== undefined) throw refusal;
    if (this.#observer?.isWatched === true) return this.#callObserved(this.#observer, called);
    return this.#callPlain(called);
  }

  #callObserved(observer: CallObserver, called: Called): Encoded | Promise<Encoded> {
    const observed = observer.begin(called.name, called.params, called.bound);
    const { onConsole } = observed;
    const end = (result: Encoded): Encoded => {
      observed.end();
      return result;
    };
    const fail = (error: unknown): never => {
      observed.end({ error });
      throw error;
    };
    try {
      const { session } = called;
      const own = onConsole ? { ...called, session: createObservedSession(session, onConsole) } : called;
      const result = this.#callPlain(own);
      if (result instanceof Promise) return result.then(end, fail);
      return end(result);
    } catch (error) {
      return fail(error);
    }
  }

  #callPlain(called: Called): Encoded | Promise<Encoded> {
    const intercept = this.#interceptor?.(called.bound);
    return intercept === undefined
      ? completed(this.#callOwn, called)
      : this.#callIntercepted(intercept, called);
  }

  #callIntercepted(intercept: CallInterceptor, called: Called): Encoded | Promise<Encoded> {
    const { name, params, bound } = called;
    const own = (changed?: Json) =>
      this.#callOwn(changed === undefined ? called : { ...called, params: changed });
    return intercept(name, params, own, bound);
  }

  readonly #callOwn = ({ name, params, bound, session }: Called): Encoded | Promise<Encoded> => {
    if (bound === undefined) return this.#callSpecial(name, params, session);
    const result = bound.handler(this.#preparation.argumentsOf(bound, params), session);
    return result instanceof Promise
      ? encodedLater(bound, result)
      : encoded(bound.declaration.result, result);
  };

  #callSpecial(name: string, params: Json | undefined, session: Session): Json {
    // By their end alone, as on the reference node: `eth_any_subscribe` subscribes, too.
    if (name.endsWith("_subscribe")) {
      this.#counts?.subscribed.add();
      return subscribe(namespaceOf(name), params, session);
    }
    if (name.endsWith("_unsubscribe")) {
      this.#counts?.unsubscribed.add();
      return unsubscribe(params, session);
    }
    throw methodNotFound(name, hintForMethod(name, session.access));
  }

  /** @param startedMs - when it begins, by `performance.now` */
  #answerMessage(message: RpcMessage, session: Session, startedMs = performance.now()): ResponseText {
    switch (message.kind) {
      case "call":
        return this.#answerCall(message, message.id as string, session, startedMs);
      case "notification": {
        const done = this.#answerCall(message, "null", session, startedMs);
        return done instanceof Promise ? done.then(() => "") : "";
      }
      case "ignored":
        return "";
      case "invalid":
        return this.#refusal(toErrorObject(invalidRequest()), message.id);
    }
  }

  /** The response to what contains no call that could be answered. */
  #refusal(error: ErrorObject, id?: string): string {
    this.#counts?.refused(error.code);
    return errorText(id, error);
  }

  #answerCall(message: RpcMessage, id: string, session: Session, startedMs: number): ResponseText {
    const { method: name, params } = message;
    const bound = session.access.methods.get(name);
    const call: RunningCall = { name, params, bound, session, id, number: ++this.#requests, startedMs };
    this.#counts?.begun();
    try {
      const { calls } = this.budget;
      const isOwner = session.access.local === true;
      if (!isOwner && !calls.has(1)) {
        calls.noteRefused();
        throw limitExceeded(TOO_MANY_CALLS);
      }
      if (this.#rate && !isOwner) this.#checkRate(this.#rate, bound, session);
      const result = this.#call(call);
      return result instanceof Promise ? this.#answerLater(call, result) : this.#answerResult(call, result);
    } catch (error) {
      return this.#answerError(call, error);
    }
  }

  async #answerLater(call: RunningCall, result: Promise<Encoded>): Promise<Text> {
    const { calls } = this.budget;
    const isCounted = call.session.access.local !== true && calls.take();
    try {
      return this.#answerResult(call, await result);
    } catch (error) {
      return this.#answerError(call, error);
    } finally {
      if (isCounted) calls.give();
    }
  }

  /** @throws RpcError -32005 for a client that calls too often */
  #checkRate(rate: RateLimit, bound: BoundMethod | undefined, { address = "" }: Session): void {
    if (rate.allows(address, bound?.declaration.scope ?? "other")) return;
    this.#counts?.limited.add();
    throw limitExceeded(RATE_EXCEEDED);
  }

  #answerResult(call: RunningCall, result: Encoded): Text {
    const text = resultText(call.id, encodedText(result));
    this.#end(call);
    return text;
  }

  #answerError(call: RunningCall, error: unknown): string {
    const { name, id, number } = call;
    const shown = toErrorObject(error);
    this.#end(call, shown.code);
    if (!isExpected(error)) this.#onDefect(name, error, number);
    const message = this.#phrases?.get(shown.message);
    const data = this.#showsRequestIds ? withRequestId(shown.data, number) : shown.data;
    if (message === undefined && data === shown.data) return errorText(id, shown);
    const texts = message === undefined ? shown : { ...shown, message };
    return errorText(id, data === undefined ? texts : { ...texts, data });
  }

  /** Counts a call that has been answered, and reports it to the log if that records calls. @param code - of its error */
  #end({ name, bound, number, startedMs }: RunningCall, code?: number): void {
    this.#endedMs = performance.now();
    const durationMs = this.#endedMs - startedMs;
    this.#counts?.ended(bound && name, durationMs, code);
    const log = this.#log;
    if (log?.isOn !== true) return;
    const ms = Math.round(durationMs * 1000) / 1000;
    log.answered({
      ...{ request: number, method: name.slice(0, MAX_NAME_LENGTH), ms },
      ...(code !== undefined && { code }),
    });
  }

  /** Reading the clock costs as much as the rest of a small call, so the end of one call serves as the beginning of the next. */
  #now(): number {
    const endedMs = this.#endedMs;
    this.#endedMs = 0;
    return endedMs || performance.now();
  }

  #answerBatch(messages: readonly RpcMessage[], session: Session): ResponseText {
    const { batchItems, batchAnswer } = this.limits;
    if (messages.length === 0) return this.#refusal(toErrorObject(invalidRequest("empty batch")));
    if (batchItems > 0 && messages.length > batchItems)
      return this.#refusal(toErrorObject(invalidRequest("batch too large")));
    const own = createBatchSession(session);
    // Nothing is prepared for calls that may still be refused.
    const isLimited =
      session.refusal !== undefined || (this.#rate !== undefined && session.access.local !== true);
    this.#endedMs = 0;
    return answerBatch(messages, {
      ...{ slice: this.budget.slice, unsent: this.budget.unsent, connection: own.connection },
      client: () => clientOf(own),
      hasLeft: () => own.signal.aborted,
      limit: batchAnswer,
      now: () => this.#now(),
      prepare: (ahead) => (isLimited ? undefined : this.#preparation.prepare(ahead, own.access)),
      answer: (message, startedMs) => this.#answerMessage(message, own, startedMs),
    });
  }
}

function encodedLater({ declaration }: BoundMethod, result: Promise<unknown>): Promise<Encoded> {
  return result.then((value) => encoded(declaration.result, value));
}

/** Data that is not an object, such as the output of a revert, stays as it is. */
function withRequestId(data: Json | undefined, requestId: number): Json | undefined {
  if (data === undefined) return { requestId };
  return isObject(data) ? { ...data, requestId } : data;
}
