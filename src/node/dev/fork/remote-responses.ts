import { parseJsonWithin } from "../../../platform/intake/nesting.ts";
import { type JsonReading, parseJsonPacedWith } from "../../../platform/intake/parse-json-paced.ts";
import { withoutSecrets } from "../../../platform/intake/secrets.ts";
import type { Pace } from "../../../platform/runtime/turns/pace.ts";
import { isInexact, readExactly } from "../../../protocol/codec/json/parse.ts";
import { type Json, NumberLiteral } from "../../../protocol/codec/json/value.ts";
import { ForkError } from "./errors.ts";

/** A call to send. */
export interface RemoteRequest {
  readonly jsonrpc: "2.0";
  readonly id: number;
  readonly method: string;
  readonly params: readonly Json[];
}

/** The response to a call. */
export interface RemoteResponse {
  /** Null if the node could not tell to which call it responds. */
  readonly id: number | null;
  readonly result?: Json;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Json };
}

/** Nesting depth of a response: two levels for each call of a call trace, and the EVM nests 1,024. */
const ANSWER_DEPTH = 4096;
/** Values of an answer: those of a long trace have 40 bytes and more each. */
const ANSWER_VALUES = 2_000_000;
/** Most characters passed on of an error message. */
const MAX_REASON = 2000;
/** Bytes of a response beyond which the data of its errors is dropped: it would be passed on in one piece. */
const MAX_WITH_DATA = 1 << 20;

/** How long responses are read; an account of a dump or a slot of a trace takes 140 bytes and more. */
const READING: JsonReading<NumberLiteral> = {
  ...{ values: ANSWER_VALUES, depth: ANSWER_DEPTH, members: 65_536 },
  number: (text) => new NumberLiteral(text),
};
/** Bytes of a response from which on it is parsed in slices, which takes eight times as long; up to there it takes some milliseconds. */
export const LONG_RESPONSE = 512 * 1024;

/** How responses are parsed. */
export interface ReadingOptions {
  /** Whether numbers that a double cannot hold become `NumberLiteral`, as they always do in long responses. */
  readonly isExact: boolean;
  /** Of long ones. */
  readonly pace: Pace;
  /** What the node was sent and may repeat in an error, but callers may not see. */
  readonly secrets: readonly string[];
}

/**
 * Parses the responses to a request.
 * @param body - UTF-8
 * @throws ForkError `REMOTE_FAILED` naming the method and what is wrong; one of the pace
 */
export async function readResponses(
  body: Buffer,
  requests: readonly RemoteRequest[],
  options: ReadingOptions,
): Promise<RemoteResponse[]> {
  const about = methodsOf(requests);
  let json: unknown;
  try {
    json = await (body.length > LONG_RESPONSE
      ? parseJsonPacedWith(body, READING, options.pace)
      : parsed(body.toString(), options));
  } catch (cause) {
    if (cause instanceof ForkError) throw cause;
    const reason = cause instanceof SyntaxError ? "is not JSON" : `is ${(cause as Error).message}`;
    throw wrong(about, reason, cause);
  }
  const answers = Array.isArray(json) ? json : [json];
  if (answers.length > requests.length) throw wrong(about, `has ${answers.length} parts`);
  const ids = new Set<unknown>(requests.map(({ id }) => id));
  const hasData = body.length <= MAX_WITH_DATA;
  const { secrets } = options;
  return answers.map((answer) => readResponse(answer, { about, ids, hasData, secrets }));
}

function parsed(text: string, { isExact }: ReadingOptions): unknown {
  const json = parseJsonWithin(text, ANSWER_DEPTH, ANSWER_VALUES);
  return isExact && isInexact(text) ? exactly(text) : json;
}

/** The value of a valid text, with amounts and other numbers that a double cannot hold as they are written. */
function exactly(text: string): unknown {
  const parsed = readExactly(text);
  if (!("value" in parsed)) throw new SyntaxError(parsed.syntaxError);
  return parsed.value;
}

interface Expected {
  /** The methods that were called. */
  readonly about: string;
  readonly ids: ReadonlySet<unknown>;
  /** Whether the data of errors is passed on. */
  readonly hasData: boolean;
  readonly secrets: readonly string[];
}

function readResponse(json: unknown, { about, ids, hasData, secrets }: Expected): RemoteResponse {
  if (typeof json !== "object" || json === null) throw wrong(about, "is not JSON-RPC");
  const { id = null, result, error } = json as Record<string, unknown>;
  const isRefusal = error !== undefined && error !== null;
  if (!ids.has(id) && !(id === null && isRefusal)) throw wrong(about, "has an unknown id");
  if (!isRefusal) return { id: id as number, ...(result !== undefined && { result: result as Json }) };
  const { code, message, data } = error as Record<string, unknown>;
  if (!Number.isSafeInteger(code) || typeof message !== "string")
    throw wrong(about, "is an error without code and message");
  const said = { code: code as number, message: withoutSecrets(message, secrets).slice(0, MAX_REASON) };
  const isShown = hasData && data !== undefined && !repeats(data, secrets);
  return { id: id as number | null, error: { ...said, ...(isShown && { data: data as Json }) } };
}

function repeats(data: unknown, secrets: readonly string[]): boolean {
  if (secrets.length === 0) return false;
  const text = JSON.stringify(data);
  return withoutSecrets(text, secrets) !== text;
}

function methodsOf(requests: readonly RemoteRequest[]): string {
  const [first, ...others] = new Set(requests.map(({ method }) => method));
  return others.length === 0 ? `${first}` : `${first} and others`;
}

/** @param what - completes "its response to eth_getCode …" */
function wrong(method: string, what: string, cause?: unknown): ForkError {
  return new ForkError("REMOTE_FAILED", `its response to ${method} ${what}`, {}, { cause });
}
