import { createConnection } from "node:net";
import type { Readable } from "node:stream";
import { createHttpClient } from "../../platform/intake/http-client.ts";
import { secretsOf } from "../../platform/intake/secrets.ts";
import type { Timers } from "../../platform/runtime/runtime.ts";
import type { NodeError } from "../../protocol/primitives/errors.ts";
import { WalletError } from "../errors.ts";

/** JSON-RPC transport to a signer; each exchange has its own connection. */
export interface SignerConnection {
  /** Address of the signer, without credentials: `127.0.0.1:8550`, `/run/clef.ipc`. */
  readonly location: string;
  /** What the signer is sent and may repeat, but nobody else may see. */
  readonly secrets: readonly string[];
  /** @throws WalletError `SIGNER_UNREACHABLE` when no response comes in time, or it is too large */
  exchange(text: string, timeoutMs: number): Promise<string>;
}

/** Maximum response; far more than any call needs. */
const MAX_RESPONSE_LENGTH = 1_000_000;
/** Maximum number of concurrent exchanges; they last long where a user has to approve. */
const MAX_CONNECTIONS = 16;

/**
 * Creates a connection to a signer. Nothing is sent yet.
 * @param endpoint - `http://…` or `https://…`, credentials allowed, or the path of a unix socket
 * @throws WalletError `SIGNER_UNREACHABLE` when it is neither
 */
export function createSignerConnection(endpoint: string, timers: Timers): SignerConnection {
  if (!endpoint.includes("://")) return overSocket(endpoint, timers);
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new WalletError(
      "SIGNER_UNREACHABLE",
      "the external signer is an http or https URL or a socket's path",
    );
  return overHttp(url, timers);
}

function overHttp(url: URL, timers: Timers): SignerConnection {
  const { host, pathname } = url;
  const client = createHttpClient({ timers, connections: MAX_CONNECTIONS, keepAlive: false });
  return {
    location: host + (pathname === "/" ? "" : pathname),
    secrets: secretsOf(url),
    async exchange(body, timeoutMs) {
      const response = await client
        .post({ url, body, timeoutMs, most: MAX_RESPONSE_LENGTH })
        .catch((cause: NodeError) => {
          throw noResponse(cause.code === "TOO_LARGE" ? new Error("the response is too large") : cause);
        });
      const { status, type } = response;
      if (status >= 300 && !type.includes("json")) throw noResponse(new Error(`HTTP status ${status}`));
      return response.body.toString();
    },
  };
}

/** Newline-delimited JSON, as clef's. */
function overSocket(path: string, timers: Timers): SignerConnection {
  return {
    ...{ location: path, secrets: [] },
    exchange: (text, timeoutMs) =>
      withinTime(timers, timeoutMs, (settle) => {
        const socket = createConnection(path, () => socket.write(`${text}\n`));
        socket.on("error", settle.fail);
        collect(socket, settle);
        return () => socket.destroy();
      }),
  };
}

interface Settle {
  done(answer: string): void;
  fail(error: Error): void;
}

/** Reads text until a line feed or the end of the stream. */
function collect(stream: Readable, settle: Settle): void {
  const parts: string[] = [];
  let length = 0;
  stream.setEncoding("utf8");
  stream.on("data", (part: string) => {
    parts.push(part);
    length += part.length;
    if (length > MAX_RESPONSE_LENGTH) settle.fail(new Error("the response is too large"));
    else if (part.endsWith("\n")) settle.done(parts.join(""));
  });
  stream.on("end", () => settle.done(parts.join("")));
  stream.on("error", settle.fail);
}

/** Runs an exchange, and ends it with the function returned by `start` once it has settled or timed out. */
function withinTime(
  timers: Timers,
  timeoutMs: number,
  start: (settle: Settle) => () => void,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (cause: Error): void => {
      end();
      reject(noResponse(cause));
    };
    const done = (answer: string): void => {
      end();
      resolve(answer);
    };
    let stop = (): void => {};
    const cancel = timers.schedule(timeoutMs, () => fail(new Error(`nothing within ${timeoutMs} ms`)));
    function end(): void {
      cancel();
      stop();
    }
    stop = start({ done, fail });
  });
}

function noResponse(cause: Error): WalletError {
  return new WalletError(
    "SIGNER_UNREACHABLE",
    `external signer does not respond: ${cause.message}`,
    {},
    { cause },
  );
}
