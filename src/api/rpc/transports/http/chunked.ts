/** Longest line with the size of a chunk, extensions included. */
const MAX_LINE = 256;

type Step = "size" | "data" | "dataEnd" | "trailer" | "done";

/** Decodes a body in chunks that arrives in pieces. @see RFC 9112, section 7.1 */
export class ChunkedBody {
  readonly #limit: number;
  readonly #parts: Buffer[] = [];
  #step: Step = "size";
  #left = 0;
  #total = 0;
  #line = "";

  /** @param limit largest body in bytes */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * Takes a piece.
   * @returns how many of its bytes belonged to the body; fewer than there are only when the body is complete
   * @throws RangeError when the encoding is wrong or the body too large
   */
  take(piece: Buffer): number {
    let at = 0;
    while (at < piece.length && this.#step !== "done") at = this.#advance(piece, at);
    return at;
  }

  get complete(): boolean {
    return this.#step === "done";
  }

  /** The whole body. */
  text(): string {
    return Buffer.concat(this.#parts).toString("utf8");
  }

  #advance(piece: Buffer, at: number): number {
    if (this.#step !== "data") return this.#readLine(piece, at);
    const end = Math.min(piece.length, at + this.#left);
    this.#parts.push(piece.subarray(at, end));
    this.#left -= end - at;
    if (this.#left === 0) this.#step = "dataEnd";
    return end;
  }

  #readLine(piece: Buffer, at: number): number {
    const newline = piece.indexOf(0x0a, at);
    const end = newline < 0 ? piece.length : newline + 1;
    this.#line += piece.toString("latin1", at, end);
    if (this.#line.length > MAX_LINE) throw new RangeError("line of a chunk too long");
    if (newline >= 0) this.#endLine();
    return end;
  }

  #endLine(): void {
    const line = this.#line.replace(/\r?\n$/, "");
    this.#line = "";
    if (this.#step === "trailer") {
      if (line === "") this.#step = "done";
    } else if (this.#step === "dataEnd") {
      if (line !== "") throw new RangeError("chunk longer than its size");
      this.#step = "size";
    } else this.#beginChunk(line);
  }

  #beginChunk(line: string): void {
    const size = /^([0-9a-fA-F]{1,8})\s*(?:;.*)?$/.exec(line)?.[1];
    if (size === undefined) throw new RangeError("size of a chunk is no number");
    this.#left = Number.parseInt(size, 16);
    this.#total += this.#left;
    if (this.#total > this.#limit) throw new RangeError("body too large");
    this.#step = this.#left === 0 ? "trailer" : "data";
  }
}
