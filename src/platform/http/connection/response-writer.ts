import type { Pieces } from "../pieces.ts";
import type { LongReply } from "../service.ts";
import type { Outflow } from "./outflow.ts";
import { responseHead } from "./response.ts";

/**
 * Small answers to pipelined requests are joined into writes of up to this many characters; larger ones are written by
 * themselves.
 */
const GATHERED = 16 * 1024;

/** Non-ASCII characters, possible in headers that repeat what a client sent. */
const NOT_ASCII = /[\u0080-\uffff]/;

/** Writes answers, small ones together. */
export class ResponseWriter {
  readonly #out: Outflow;
  #gathered = "";
  /** Whether everything gathered is ASCII: as many bytes as characters. */
  #isAscii = true;

  constructor(out: Outflow) {
    this.#out = out;
  }

  /** @param connection whole line or nothing @param isHeadOnly for HEAD requests */
  answer({ status, headers, body }: LongReply, connection: string, isHeadOnly: boolean): void {
    const length = sizeOf(body);
    this.#isAscii &&= !NOT_ASCII.test(headers);
    this.#gathered += responseHead({ status, headers, connection, length });
    if (isHeadOnly) return;
    const isAscii = length === body.length;
    if (typeof body !== "string" || body.length > GATHERED) {
      this.flush();
      this.#out.write(body, isAscii ? "latin1" : "utf8");
      return;
    }
    this.#isAscii &&= isAscii;
    this.#gathered += body;
    if (this.#gathered.length > GATHERED) this.flush();
  }

  /** Sends `100 Continue` to a client that waits for it. */
  goAhead(): void {
    this.#gathered += "HTTP/1.1 100 Continue\r\n\r\n";
  }

  /** Flushes to the socket. */
  flush(): void {
    if (this.#gathered === "") return;
    const text = this.#gathered;
    this.#gathered = "";
    this.#out.write(text, this.#isAscii ? "latin1" : "utf8");
    this.#isAscii = true;
  }
}

function sizeOf(body: string | Pieces): number {
  return typeof body === "string" ? Buffer.byteLength(body) : body.length;
}
