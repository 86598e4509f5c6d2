import type { UnsentBytes } from "../../../platform/http/budget.ts";
import type { RpcBudget } from "../services/budget.ts";
import type { Text } from "../spec/values/json-text.ts";
import { PREPARE_CHUNK } from "./batch-preparation.ts";
import { RpcError, refused, toErrorObject } from "./errors.ts";
import { errorText, type RpcMessage } from "./jsonrpc.ts";
import type { ResponseText } from "./server-options.ts";
import { BoundedText } from "./text/bounded-text.ts";
import { Draft } from "./text/draft.ts";

/** Geth's error. */
const RESPONSE_TOO_LARGE = { code: -32003, message: "response too large" };

/** How the elements of a batch are answered. */
export interface BatchContext {
  readonly slice: RpcBudget["slice"];
  /** Bytes buffered for all clients, including the responses so far. */
  readonly unsent: UnsentBytes;
  /** The client's connection, if it has one. */
  readonly connection: object | undefined;
  /** The client on whose behalf the batch runs, for fair scheduling. */
  client(): unknown;
  /** Whether the client has disconnected. */
  hasLeft(): boolean;
  /** Response size in characters beyond which the remaining calls are refused without running; 0 = no limit. */
  readonly limit: number;
  /** By `performance.now`. */
  now(): number;
  /** Prepares for the calls that come next. @returns a promise if there is something to wait for; it never rejects */
  prepare(messages: readonly RpcMessage[]): Promise<unknown> | undefined;
  /** @param startedMs - when it begins, if the caller has just read the clock */
  answer(message: RpcMessage, startedMs?: number): ResponseText;
}

/**
 * Answers the elements sequentially, as in the reference; asynchronous only from the first element that needs it. A long
 * response is held as bytes outside the heap, and counted.
 */
export function answerBatch(messages: readonly RpcMessage[], batch: BatchContext): ResponseText {
  const answers = new Answers(batch);
  try {
    const prepared = batch.prepare(messages.slice(0, PREPARE_CHUNK));
    if (prepared !== undefined)
      return answerRest(
        answers,
        prepared.then(() => ""),
        messages,
        batch,
      );
    for (let i = 0; i < messages.length; i++) {
      const now = batch.now();
      if (batch.slice.isDue(now)) return answerRest(answers, "", messages.slice(i), batch);
      const answer = answerElement(messages[i] as RpcMessage, batch, answers.length, now);
      if (answer instanceof Promise) return answerRest(answers, answer, messages.slice(i + 1), batch);
      answers.add(answer);
    }
    return answers.finish();
  } catch (error) {
    return answers.abort(error);
  }
}

/** Answers the rest of a batch, yielding in between. */
async function answerRest(
  answers: Answers,
  running: ResponseText,
  rest: readonly RpcMessage[],
  batch: BatchContext,
): Promise<Text> {
  try {
    answers.add(await running);
    const { slice } = batch;
    for (const [i, message] of rest.entries()) {
      if (i > 0 && i % PREPARE_CHUNK === 0) await batch.prepare(rest.slice(i, i + PREPARE_CHUNK));
      if (slice.isDue()) await slice.yield("clients", batch.client());
      if (batch.hasLeft()) throw refused("the caller has disconnected");
      const answer = answerElement(message, batch, answers.length);
      answers.add(answer instanceof Promise ? await answer : answer);
    }
    return answers.finish();
  } catch (error) {
    return answers.abort(error);
  }
}

/** @param size - characters of the response so far */
function answerElement(
  message: RpcMessage,
  { limit, answer }: BatchContext,
  size: number,
  startedMs?: number,
): ResponseText {
  const max = limit === 0 ? Number.POSITIVE_INFINITY : limit - size;
  if (max <= 0) return refusal(message);
  const answered = answer(message, startedMs);
  if (answered instanceof Promise) return answered.then((text) => fitting(text, max, message));
  return fitting(answered, max, message);
}

/** The answer if it fits, else an error. */
function fitting(answer: Text, max: number, message: RpcMessage): Text {
  return typeof answer === "string" || answer.length <= max ? answer : refusal(message);
}

function refusal({ id }: RpcMessage): string {
  return id === undefined ? "" : errorText(id, RESPONSE_TOO_LARGE);
}

/** The response being built. */
class Answers {
  readonly #draft: Draft;
  readonly #text: BoundedText;

  constructor({ unsent, connection }: BatchContext) {
    this.#draft = new Draft(unsent, connection);
    this.#text = new BoundedText(this.#draft, Number.POSITIVE_INFINITY);
  }

  /** Characters so far. */
  get length(): number {
    return this.#text.length;
  }

  /** Adds an answer, unless it is empty. @throws RpcError -32005 when too much is buffered for clients */
  add(answer: Text): void {
    if (answer === "") return;
    this.#text.add(this.#text.length === 0 ? "[" : ",");
    this.#text.add(answer);
  }

  /** The whole response; empty if no element is answered. */
  finish(): Text {
    if (this.#text.length > 0) this.#text.add("]");
    return this.#text.finish();
  }

  /** Discards the answers so far. @returns the response to the whole batch @throws any other error */
  abort(error: unknown): string {
    this.#draft.clear();
    if (!(error instanceof RpcError)) throw error;
    return errorText(undefined, toErrorObject(error));
  }
}
