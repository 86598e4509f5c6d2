import type { Outflow, Pieces } from "./outflow.ts";
import { responseHead } from "./response.ts";
import type { LongReply } from "./service.ts";

/**
 * Small answers to pipelined requests are joined into writes of up to this many characters; larger ones are written by
 * themselves.
 */
const GATHERED = 16 * 1024;

/** Writes answers, small ones together. */
export class ResponseWriter {
  readonly #out: Outflow;
  #gathered = "";

  constructor(out: Outflow) {
    this.#out = out;
  }

  /** @param connection whole line or nothing @param isHeadOnly for HEAD requests */
  answer({ status, headers, body }: LongReply, connection: string, isHeadOnly: boolean): void {
    this.#gathered += responseHead({ status, headers, connection, length: sizeOf(body) });
    if (isHeadOnly) return;
    if (typeof body !== "string" || body.length > GATHERED) {
      this.flush();
      this.#out.write(body);
      return;
    }
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
    this.#out.write(text);
  }
}

function sizeOf(body: string | Pieces): number {
  return typeof body === "string" ? Buffer.byteLength(body) : body.length;
}
