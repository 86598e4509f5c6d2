import { type BodyBuffer, BodyError } from "./body-buffer.ts";
import { isClean } from "./scan.ts";

/** Longest chunk-size line, extensions included. */
const MAX_LINE = 256;
/** Longest trailer section in bytes; it is read and discarded. */
const MAX_TRAILER = 8 * 1024;

/** Lines read at a time: some 50 µs. A read may have twenty thousand of them. */
const LINES_PER_TAKE = 32;

type Step = "size" | "data" | "dataEnd" | "trailer" | "done";

/**
 * An incremental decoder of chunked bodies. Lines end with CRLF alone and have no other control characters: a proxy in front that reads
 * them otherwise would see another request (CVE-2025-22871).
 * @see RFC 9112, section 7.1
 */
export class ChunkedBody {
  readonly #limit: number;
  readonly #body: BodyBuffer;
  #step: Step = "size";
  #left = 0;
  #total = 0;
  #line = "";
  #trailer = 0;

  /** @param limit largest body in bytes */
  constructor(limit: number, body: BodyBuffer) {
    this.#limit = limit;
    this.#body = body;
  }

  /**
   * Consumes input: some lines, and the data between them.
   * @returns how many bytes belonged to the body; fewer than given if it is complete, or has more lines than are read at a time
   * @throws BodyError
   */
  take(piece: Buffer): number {
    let at = 0;
    for (let lines = 0; lines < LINES_PER_TAKE && at < piece.length && this.#step !== "done"; ) {
      if (this.#step !== "data") lines++;
      at = this.#advance(piece, at);
    }
    return at;
  }

  /** Whether that many bytes are all of the chunk that is being read. */
  isInside(bytes: number): boolean {
    return this.#step === "data" && bytes < this.#left;
  }

  get complete(): boolean {
    return this.#step === "done";
  }

  #advance(piece: Buffer, at: number): number {
    if (this.#step !== "data") return this.#readLine(piece, at);
    const end = Math.min(piece.length, at + this.#left);
    this.#body.append(piece.subarray(at, end));
    this.#left -= end - at;
    if (this.#left === 0) this.#step = "dataEnd";
    return end;
  }

  #readLine(piece: Buffer, at: number): number {
    const newline = piece.indexOf(0x0a, at);
    const end = newline < 0 ? piece.length : newline + 1;
    if (this.#line.length + end - at > MAX_LINE) throw new BodyError(400, "line of a chunk too long");
    this.#line += piece.toString("latin1", at, end);
    if (newline >= 0) this.#endLine();
    return end;
  }

  #endLine(): void {
    if (!this.#line.endsWith("\r\n")) throw new BodyError(400, "line of a chunk without CRLF");
    const line = this.#line.slice(0, -2);
    this.#line = "";
    if (!isClean(line)) throw new BodyError(400, "control characters in a line of a chunk");
    if (this.#step === "trailer") {
      this.#trailer += line.length;
      if (this.#trailer > MAX_TRAILER) throw new BodyError(400, "trailer too long");
      if (line === "") this.#step = "done";
    } else if (this.#step === "dataEnd") {
      if (line !== "") throw new BodyError(400, "chunk longer than its size");
      this.#step = "size";
    } else this.#beginChunk(line);
  }

  #beginChunk(line: string): void {
    const semicolon = line.indexOf(";");
    const size = semicolon < 0 ? line : line.slice(0, semicolon);
    if (!/^[0-9a-fA-F]{1,8}[ \t]*$/.test(size)) throw new BodyError(400, "size of a chunk is not a number");
    this.#left = Number.parseInt(size, 16);
    this.#total += this.#left;
    if (this.#total > this.#limit) throw new BodyError(413, "body too large");
    this.#step = this.#left === 0 ? "trailer" : "data";
  }
}
