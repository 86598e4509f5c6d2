import type { Json } from "../../protocol/codec/json/schema.ts";
import { RpcRequestError, type SendRequest } from "./client.ts";

/** A JSON-RPC response. */
export interface RpcAnswer {
  readonly id?: number;
  readonly result?: Json;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** The result of a response. @throws RpcRequestError if it is an error */
export function resultOf({ result, error }: RpcAnswer): Json {
  if (error !== undefined)
    throw new RpcRequestError(Number(error?.code), String(error?.message), error?.data);
  return result ?? null;
}

/**
 * Calls over HTTP. Calls made in the same turn of the event loop are sent as one batch.
 * @param url `http://127.0.0.1:8551`
 * @param maxBytes - maximum size of a response; a longer one is rejected; absent = no limit
 * @param authorization - gives the `Authorization` header of each request
 *
 * @example
 * const request = httpRequest("http://127.0.0.1:8551");
 * const number = await request("eth_blockNumber", []); // "0x1b"
 */
export function httpRequest(
  url: string,
  mostBytes = Number.POSITIVE_INFINITY,
  authorization?: () => string,
): SendRequest {
  let waiting: { method: string; params: readonly Json[]; settle: (answer: RpcAnswer | Error) => void }[] =
    [];

  async function flush(): Promise<void> {
    const calls = waiting;
    waiting = [];
    const messages = calls.map(({ method, params }, id) => ({ jsonrpc: "2.0", id, method, params }));
    try {
      const answer = await post(
        url,
        messages.length === 1 ? messages[0] : messages,
        mostBytes,
        authorization?.(),
      );
      const answers = new Map((Array.isArray(answer) ? answer : [answer]).map((one) => [one.id, one]));
      for (const [id, { settle }] of calls.entries())
        settle(answers.get(id) ?? (Array.isArray(answer) ? new Error("no answer in the batch") : answer));
    } catch (error) {
      for (const { settle } of calls) settle(error as Error);
    }
  }

  return (method, params) =>
    new Promise((resolve, reject) => {
      const settle = (answer: RpcAnswer | Error) => {
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

async function post(
  url: string,
  message: unknown,
  mostBytes: number,
  authorization: string | undefined,
): Promise<RpcAnswer | RpcAnswer[]> {
  const response = await fetch(url, {
    method: "POST",
    // Calls have secrets in them that are meant for nobody else.
    redirect: "error",
    headers: {
      "Content-Type": "application/json",
      ...(authorization !== undefined && { Authorization: authorization }),
    },
    body: JSON.stringify(message),
  });
  const text = await textOf(response, mostBytes);
  if (!response.ok) throw new Error(`${url} answers ${response.status}: ${text.slice(0, 1000).trim()}`);
  return JSON.parse(text) as RpcAnswer | RpcAnswer[];
}

/** The body, read no further than the limit. @throws Error when it is longer */
async function textOf(response: Response, mostBytes: number): Promise<string> {
  if (mostBytes === Number.POSITIVE_INFINITY || response.body === null) return response.text();
  // Into one piece of memory: a body may come in as many pieces as it has bytes.
  let bytes = new Uint8Array(0);
  let read = 0;
  const reader = response.body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const end = read + part.value.length;
    if (end > mostBytes) {
      await reader.cancel();
      throw new Error(`an answer of more than ${mostBytes} bytes`);
    }
    if (end > bytes.length) {
      const larger = new Uint8Array(Math.max(end, 2 * bytes.length));
      larger.set(bytes.subarray(0, read));
      bytes = larger;
    }
    bytes.set(part.value, read);
    read = end;
  }
  return new TextDecoder().decode(bytes.subarray(0, read));
}
