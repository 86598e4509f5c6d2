import type { RpcBudget } from "../services/budget.ts";
import type { Text } from "../spec/values/json-text.ts";
import { errorText, type RpcMessage } from "./jsonrpc.ts";
import type { ResponseText } from "./server-options.ts";

/** As geth says it. */
const RESPONSE_TOO_LARGE = { code: -32003, message: "response too large" };

/** How the elements of a batch are answered. */
export interface BatchTurns {
  readonly slice: RpcBudget["slice"];
  /** Whose turn it is when others wait. */
  client(): unknown;
  /** Characters of the response, past which calls are refused without being run; 0 = any number. */
  readonly limit: number;
  answer(message: RpcMessage): ResponseText;
}

/** Answers the elements sequentially, as in the reference; promises only from the first element that needs one. */
export function answerBatch(messages: readonly RpcMessage[], turns: BatchTurns): string | Promise<string> {
  let answers = "";
  for (let i = 0; i < messages.length; i++) {
    if (turns.slice.isDue()) return answerRest(answers, "", messages.slice(i), turns);
    const answer = answerElement(messages[i] as RpcMessage, turns, answers.length);
    if (answer instanceof Promise) return answerRest(answers, answer, messages.slice(i + 1), turns);
    answers = joined(answers, answer);
  }
  return bracketed(answers);
}

/** Answers the rest of a batch, yielding in between. */
async function answerRest(
  before: string,
  running: string | Promise<string>,
  rest: readonly RpcMessage[],
  turns: BatchTurns,
): Promise<string> {
  let answers = joined(before, await running);
  const { slice } = turns;
  for (const message of rest) {
    if (slice.isDue()) await slice.giveWay("clients", turns.client());
    answers = joined(answers, await answerElement(message, turns, answers.length));
  }
  return bracketed(answers);
}

/** @param size - of the answers so far */
function answerElement(
  message: RpcMessage,
  { limit, answer }: BatchTurns,
  size: number,
): string | Promise<string> {
  const most = limit === 0 ? Number.POSITIVE_INFINITY : limit - size;
  if (most <= 0) return refusal(message);
  const answered = answer(message);
  if (answered instanceof Promise) return answered.then((text) => whole(text, most, message));
  return whole(answered, most, message);
}

function joined(answers: string, answer: string): string {
  if (answer === "") return answers;
  return answers === "" ? answer : `${answers},${answer}`;
}

/** Joins a long answer, if it fits. */
function whole(answer: Text, most: number, message: RpcMessage): string {
  return typeof answer === "string" || answer.length <= most ? String(answer) : refusal(message);
}

function refusal({ id }: RpcMessage): string {
  return id === undefined ? "" : errorText(id, RESPONSE_TOO_LARGE);
}

function bracketed(answers: string): string {
  return answers === "" ? "" : `[${answers}]`;
}
