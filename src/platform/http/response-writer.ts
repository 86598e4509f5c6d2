import type { Outflow, Pieces } from "./outflow.ts";
import { responseHead } from "./response.ts";
import type { Reply } from "./service.ts";

/** Characters of small answers to pipelined requests that leave in one write; what is larger leaves by itself. */
const GATHERED = 16 * 1024;

type Written = Omit<Reply, "body"> & { readonly body: string | Pieces };

/** Writes answers, small ones together. */
export class ResponseWriter {
  readonly #out: Outflow;
  #gathered = "";

  constructor(out: Outflow) {
    this.#out = out;
  }

  /** @param connection whole line or nothing @param isHeadOnly for HEAD requests */
  answer({ status, headers, body }: Written, connection: string, isHeadOnly: boolean): void {
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

  /** Lets a client that waits for it send its body. */
  goAhead(): void {
    this.#gathered += "HTTP/1.1 100 Continue\r\n\r\n";
  }

  /** Gives to the socket what was gathered. */
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
