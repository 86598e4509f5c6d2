import type { Pieces } from "../pieces.ts";
import type { LongReply } from "../service.ts";
import type { Outflow } from "./outflow.ts";
import { responseHead } from "./response.ts";

/**
 * Small responses to pipelined requests are joined into writes of up to this many characters; larger ones are written separately.
 */
const MAX_JOINED = 16 * 1024;

/** Non-ASCII characters, possible in headers that repeat what a client sent. */
const NOT_ASCII = /[\u0080-\uffff]/;

/** Writes responses, joining small ones. */
export class ResponseWriter {
  readonly #out: Outflow;
  #pending = "";
  /** Whether everything pending is ASCII: as many bytes as characters. */
  #isAscii = true;
  /** Headers that are known to be ASCII. */
  #asciiHeaders = "";

  constructor(out: Outflow) {
    this.#out = out;
  }

  /** @param connection a complete line or empty @param isHeadOnly for HEAD requests */
  answer({ status, headers, body }: LongReply, connection: string, isHeadOnly: boolean): void {
    const length = sizeOf(body);
    if (headers !== this.#asciiHeaders) {
      if (NOT_ASCII.test(headers)) this.#isAscii = false;
      else this.#asciiHeaders = headers;
    }
    this.#pending += responseHead({ status, headers, connection, length });
    if (isHeadOnly) return;
    const isAscii = length === body.length;
    if (typeof body !== "string" || body.length > MAX_JOINED) {
      this.flush();
      this.#out.write(body, isAscii ? "latin1" : "utf8");
      return;
    }
    this.#isAscii &&= isAscii;
    this.#pending += body;
    if (this.#pending.length > MAX_JOINED) this.flush();
  }

  /** Adds `100 Continue`. */
  writeContinue(): void {
    this.#pending += "HTTP/1.1 100 Continue\r\n\r\n";
  }

  /** Flushes to the socket. */
  flush(): void {
    if (this.#pending === "") return;
    const text = this.#pending;
    this.#pending = "";
    this.#out.write(text, this.#isAscii ? "latin1" : "utf8");
    this.#isAscii = true;
  }
}

function sizeOf(body: string | Pieces): number {
  return typeof body === "string" ? Buffer.byteLength(body) : body.length;
}
