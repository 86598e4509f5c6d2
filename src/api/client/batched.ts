import type { Json } from "../../protocol/codec/json/schema.ts";
import { RpcRequestError, type SendRequest } from "./client.ts";

/** Maximum time for a response, from the request to its last byte, unless the caller sets another. */
export const DEFAULT_TIMEOUT_MS = 600_000;
/** Maximum bytes of a response by default: a quarter of V8's longest string. */
export const MAX_RESPONSE_BYTES = 128 * 2 ** 20;

/** A JSON-RPC response. */
export interface RpcResponse {
  readonly id?: number;
  readonly result?: Json;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** Parses the text of a response. @throws Error when it is not JSON, or its parser's limits are exceeded */
export type ParseAnswer = (text: string) => unknown;

/** The result of a response. @throws RpcRequestError if it is an error */
export function resultOf({ result, error }: RpcResponse): Json {
  if (error !== undefined)
    throw new RpcRequestError(Number(error?.code), String(error?.message), error?.data);
  return result ?? null;
}

interface Waiting {
  readonly method: string;
  readonly params: readonly Json[];
  settle(answer: RpcResponse | Error): void;
}

/**
 * Calls over a transport of single exchanges. Calls made in the same turn of the event loop are sent as one batch.
 * @param exchange - sends a text and gives that of the response
 */
export function batchedRequest(
  exchange: (text: string) => Promise<string>,
  parse: ParseAnswer = JSON.parse,
): SendRequest {
  let waiting: Waiting[] = [];

  async function flush(): Promise<void> {
    const calls = waiting;
    waiting = [];
    const messages = calls.map(({ method, params }, id) => ({ jsonrpc: "2.0", id, method, params }));
    try {
      const answer = parse(await exchange(JSON.stringify(messages.length === 1 ? messages[0] : messages)));
      settleAll(calls, answer);
    } catch (error) {
      for (const { settle } of calls) settle(error as Error);
    }
  }

  return (method, params) =>
    new Promise((resolve, reject) => {
      const settle = (answer: RpcResponse | Error) => {
        try {
          if (answer instanceof Error) throw answer;
          resolve(resultOf(answer));
        } catch (error) {
          reject(error);
        }
      };
      if (waiting.push({ method, params, settle }) === 1) queueMicrotask(() => void flush());
    });
}

/** @throws Error if the text is neither a response nor a list of them */
function settleAll(calls: readonly Waiting[], answer: unknown): void {
  if (!isResponse(answer)) throw new Error("the response is not JSON-RPC");
  const answers = new Map(
    (Array.isArray(answer) ? answer.filter(isResponse) : [answer]).map((one) => [one.id, one]),
  );
  for (const [id, { settle }] of calls.entries())
    settle(answers.get(id) ?? (Array.isArray(answer) ? new Error("no response in the batch") : answer));
}

function isResponse(value: unknown): value is RpcResponse {
  return typeof value === "object" && value !== null;
}
