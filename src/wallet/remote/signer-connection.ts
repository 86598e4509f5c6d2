import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { createConnection } from "node:net";
import type { Readable } from "node:stream";
import type { Timers } from "../../platform/runtime/runtime.ts";
import { WalletError } from "../errors.ts";

/** Carries JSON-RPC texts to a signer and back; each exchange has a connection of its own. */
export interface SignerConnection {
  /** Where the signer is, without credentials: `127.0.0.1:8550`, `/run/clef.ipc`. */
  readonly place: string;
  /** @throws WalletError `SIGNER_UNREACHABLE` when no answer comes in time, or none that has an end */
  exchange(text: string, timeoutMs: number): Promise<string>;
}

/** Far more than the answer to any call needs. */
const MAX_ANSWER = 1_000_000;

/**
 * Prepares to speak to a signer. Nothing is sent yet.
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
  const { username, password, host, pathname } = url;
  const auth =
    username === "" ? {} : { auth: `${decodeURIComponent(username)}:${decodeURIComponent(password)}` };
  const send = url.protocol === "https:" ? httpsRequest : httpRequest;
  const target = new URL(url);
  target.username = "";
  target.password = "";
  return {
    place: host + (pathname === "/" ? "" : pathname),
    exchange: (text, timeoutMs) =>
      withinTime(timers, timeoutMs, (settle) => {
        const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(text) };
        const call = send(target, { ...auth, method: "POST", headers, agent: false });
        call.on("response", (response) => readAnswer(response, settle));
        call.on("error", settle.fail);
        call.end(text);
        return () => call.destroy();
      }),
  };
}

/** A stream of JSON texts, each with a line feed behind it, as clef's. */
function overSocket(path: string, timers: Timers): SignerConnection {
  return {
    place: path,
    exchange: (text, timeoutMs) =>
      withinTime(timers, timeoutMs, (settle) => {
        const socket = createConnection(path, () => socket.write(`${text}\n`));
        socket.on("error", settle.fail);
        collect(socket, settle, (answer) => answer.endsWith("\n"));
        return () => socket.destroy();
      }),
  };
}

function readAnswer(response: IncomingMessage, settle: Settle): void {
  const { statusCode = 0 } = response;
  if (statusCode >= 300 && !/json/.test(response.headers["content-type"] ?? ""))
    settle.fail(new Error(`HTTP status ${statusCode}`));
  else collect(response, settle, () => false);
}

interface Settle {
  done(answer: string): void;
  fail(error: Error): void;
}

/** Reads text until it is complete or the stream ends. */
function collect(stream: Readable, settle: Settle, isComplete: (text: string) => boolean): void {
  let text = "";
  stream.setEncoding("utf8");
  stream.on("data", (part: string) => {
    text += part;
    if (text.length > MAX_ANSWER) settle.fail(new Error("the answer has no end"));
    else if (isComplete(text)) settle.done(text);
  });
  stream.on("end", () => settle.done(text));
  stream.on("error", settle.fail);
}

/** Runs an exchange that is given up, by the function that `start` returns, once it has ended or taken too long. */
function withinTime(
  timers: Timers,
  timeoutMs: number,
  start: (settle: Settle) => () => void,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (cause: Error): void => {
      end();
      const text = `external signer does not answer: ${cause.message}`;
      reject(new WalletError("SIGNER_UNREACHABLE", text, {}, { cause }));
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
