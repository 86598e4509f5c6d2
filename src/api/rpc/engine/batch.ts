import type { UnsentBytes } from "../../../platform/http/budget.ts";
import type { RpcBudget } from "../services/budget.ts";
import type { Text } from "../spec/values/json-text.ts";
import { BoundedText } from "./bounded-text.ts";
import { Draft } from "./draft.ts";
import { RpcError, refused, toErrorObject } from "./errors.ts";
import { FORESEEN } from "./foresight.ts";
import { errorText, type RpcMessage } from "./jsonrpc.ts";
import type { ResponseText } from "./server-options.ts";

/** In geth's words. */
const RESPONSE_TOO_LARGE = { code: -32003, message: "response too large" };

/** How the elements of a batch are answered. */
export interface BatchTurns {
  readonly slice: RpcBudget["slice"];
  /** The bytes waiting for all clients, including those of the answers so far. */
  readonly unsent: UnsentBytes;
  /** The client's connection, if it has one. */
  readonly connection: object | undefined;
  /** Whose turn it is when others wait. */
  client(): unknown;
  /** Whether the client no longer waits for the response. */
  hasLeft(): boolean;
  /** Characters of the response beyond which calls are refused without being run; 0 = no limit. */
  readonly limit: number;
  /** By `performance.now`. */
  now(): number;
  /** Prepares for the calls that come next. @returns a promise if there is something to wait for; it never rejects */
  prepare(messages: readonly RpcMessage[]): Promise<unknown> | undefined;
  /** @param startedMs - when it begins, if the caller has just read the clock */
  answer(message: RpcMessage, startedMs?: number): ResponseText;
}

/**
 * Answers the elements sequentially, as in the reference; promises only from the first element that needs one. A long
 * response is held as bytes outside the heap, and counted.
 */
export function answerBatch(messages: readonly RpcMessage[], turns: BatchTurns): ResponseText {
  const answers = new Answers(turns);
  try {
    const prepared = turns.prepare(messages.slice(0, FORESEEN));
    if (prepared !== undefined)
      return answerRest(
        answers,
        prepared.then(() => ""),
        messages,
        turns,
      );
    for (let i = 0; i < messages.length; i++) {
      const now = turns.now();
      if (turns.slice.isDue(now)) return answerRest(answers, "", messages.slice(i), turns);
      const answer = answerElement(messages[i] as RpcMessage, turns, answers.length, now);
      if (answer instanceof Promise) return answerRest(answers, answer, messages.slice(i + 1), turns);
      answers.add(answer);
    }
    return answers.finish();
  } catch (error) {
    return answers.giveUp(error);
  }
}

/** Answers the rest of a batch, yielding in between. */
async function answerRest(
  answers: Answers,
  running: ResponseText,
  rest: readonly RpcMessage[],
  turns: BatchTurns,
): Promise<Text> {
  try {
    answers.add(await running);
    const { slice } = turns;
    for (const [i, message] of rest.entries()) {
      if (i > 0 && i % FORESEEN === 0) await turns.prepare(rest.slice(i, i + FORESEEN));
      if (slice.isDue()) await slice.giveWay("clients", turns.client());
      if (turns.hasLeft()) throw refused("the caller has left");
      const answer = answerElement(message, turns, answers.length);
      answers.add(answer instanceof Promise ? await answer : answer);
    }
    return answers.finish();
  } catch (error) {
    return answers.giveUp(error);
  }
}

/** @param size - of the answers so far */
function answerElement(
  message: RpcMessage,
  { limit, answer }: BatchTurns,
  size: number,
  startedMs?: number,
): ResponseText {
  const most = limit === 0 ? Number.POSITIVE_INFINITY : limit - size;
  if (most <= 0) return refusal(message);
  const answered = answer(message, startedMs);
  if (answered instanceof Promise) return answered.then((text) => fitting(text, most, message));
  return fitting(answered, most, message);
}

/** A long answer, if it fits. */
function fitting(answer: Text, most: number, message: RpcMessage): Text {
  return typeof answer === "string" || answer.length <= most ? answer : refusal(message);
}

function refusal({ id }: RpcMessage): string {
  return id === undefined ? "" : errorText(id, RESPONSE_TOO_LARGE);
}

/** The response being built. */
class Answers {
  readonly #draft: Draft;
  readonly #text: BoundedText;

  constructor({ unsent, connection }: BatchTurns) {
    this.#draft = new Draft(unsent, connection);
    this.#text = new BoundedText(this.#draft, Number.POSITIVE_INFINITY);
  }

  /** Characters so far. */
  get length(): number {
    return this.#text.length;
  }

  /** Adds an answer, unless it is empty. @throws RpcError -32005 when too much waits for clients */
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

  /** The response to a batch that cannot be answered as a whole. @throws any other error */
  giveUp(error: unknown): string {
    this.#draft.clear();
    if (!(error instanceof RpcError)) throw error;
    return errorText(undefined, toErrorObject(error));
  }
}
