import { batchedRequest, DEFAULT_TIMEOUT_MS, MAX_RESPONSE_BYTES } from "./batched.ts";
import type { SendRequest } from "./client.ts";

/** Limits of responses over HTTP. */
export interface HttpRequestOptions {
  /** Maximum bytes of a response; by default 128 MiB. */
  readonly maxBytes?: number;
  /** Maximum milliseconds until a response is complete; by default ten minutes. */
  readonly timeoutMs?: number;
}

/**
 * Calls over HTTP. Calls made in the same turn of the event loop are sent as one batch.
 * @param url `http://127.0.0.1:8551`
 *
 * @example
 * const request = httpRequest("http://127.0.0.1:8551");
 * const number = await request("eth_blockNumber", []); // "0x1b"
 */
export function httpRequest(
  url: string,
  { maxBytes = MAX_RESPONSE_BYTES, timeoutMs = DEFAULT_TIMEOUT_MS }: HttpRequestOptions = {},
): SendRequest {
  return batchedRequest((body) => post(url, body, { maxBytes, timeoutMs }));
}

async function post(
  url: string,
  body: string,
  { maxBytes, timeoutMs }: Required<HttpRequestOptions>,
): Promise<string> {
  const late = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, {
      method: "POST",
      // Calls have secrets in them that are meant for nobody else.
      redirect: "error",
      headers: { "Content-Type": "application/json" },
      body,
      signal: late,
    });
    const text = await textOf(response, maxBytes);
    if (!response.ok) throw new Error(refusal(url, response.status, text));
    return text;
  } catch (cause) {
    if (late.aborted) throw new Error(`no complete response within ${timeoutMs} ms`, { cause });
    throw cause;
  }
}

/** What a response with another status than 2xx says. */
export function refusal(url: string, status: number, text: string): string {
  return `${url} responded with HTTP ${status}: ${text.slice(0, 1000).trim()}`;
}

/** The body, read no further than the limit. @throws Error when it is longer */
async function textOf(response: Response, maxBytes: number): Promise<string> {
  if (response.body === null) return "";
  // Into one piece of memory: a body may come in as many pieces as it has bytes.
  let bytes = new Uint8Array(0);
  let read = 0;
  const reader = response.body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const end = read + part.value.length;
    if (end > maxBytes) {
      await reader.cancel();
      throw new Error(`a response of more than ${maxBytes} bytes`);
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
