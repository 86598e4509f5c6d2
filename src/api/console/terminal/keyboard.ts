import { PassThrough } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { visibleLine } from "../../../protocol/primitives/visible.ts";

/** Standard input: a terminal, or text from a file or another program. */
export type KeyboardInput = NodeJS.ReadableStream & {
  readonly isTTY?: boolean;
  readonly readableEnded?: boolean;
  setRawMode?(mode: boolean): unknown;
};

const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
const CTRL_U = "\u0015";
const ERASERS = new Set(["\u007f", "\b"]);

/** Ctrl-C, or the end of the input, instead of an answer. */
export class InterruptedError extends Error {
  override name = "InterruptedError";
}

interface Asked {
  text: string;
  readonly resolve: (secret: string) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Shares one input between the line editor and prompts for secrets. Input is buffered while code runs, except
 * Ctrl-C; a secret is never echoed and never reaches the editor.
 */
export class Keyboard {
  /** The input of the line editor. */
  readonly lines = new PassThrough();
  readonly #input: KeyboardInput;
  readonly #output: NodeJS.WritableStream;
  readonly #decoder = new StringDecoder("utf8");
  #typed = "";
  #hasEnded = false;
  #asked: Asked | undefined;
  #isHeld = true;
  #onInterrupt: (() => void) | undefined;
  #pumping = false;

  /** Buffers input until the first `hold` is released. */
  constructor(input: KeyboardInput, output: NodeJS.WritableStream) {
    this.#input = input;
    this.#output = output;
    input.on("data", this.#receive);
    input.on("end", this.#end);
    this.#hasEnded = input.readableEnded === true;
    if (this.isTerminal) input.setRawMode?.(true);
    input.resume();
  }

  get isTerminal(): boolean {
    return this.#input.isTTY === true;
  }

  /** Buffers input until the returned function is called; Ctrl-C discards it and calls `onInterrupt`. */
  hold(onInterrupt: () => void): () => void {
    this.#isHeld = true;
    this.#onInterrupt = onInterrupt;
    return () => {
      this.#isHeld = false;
      this.#onInterrupt = undefined;
      this.#pump();
    };
  }

  /** Reads one line without echo. @throws Error when the signal aborts or the input ends */
  ask(question: string, signal: AbortSignal): Promise<string> {
    this.#output.write(visibleLine(question));
    return new Promise<string>((resolve, reject) => {
      this.#asked = { text: "", resolve, reject };
      signal.addEventListener("abort", () => reject(signal.reason));
      this.#pump();
    }).finally(() => {
      this.#asked = undefined;
      if (this.isTerminal) this.#output.write("\n");
    });
  }

  /** Behaves as if the input ended here. */
  leave(): void {
    this.#typed = "";
    this.#end();
  }

  /** Restores the input, with unread data. */
  close(): void {
    this.#input.off("data", this.#receive);
    this.#input.off("end", this.#end);
    if (this.isTerminal) this.#input.setRawMode?.(false);
    this.#input.pause();
    if (this.#typed !== "" && !this.#hasEnded) this.#input.unshift(Buffer.from(this.#typed));
  }

  readonly #receive = (chunk: Buffer | string): void => {
    this.#typed += typeof chunk === "string" ? chunk : this.#decoder.write(chunk);
    if (this.isTerminal && this.#onInterrupt !== undefined && this.#typed.includes(CTRL_C)) {
      this.#typed = "";
      this.#onInterrupt();
    }
    this.#pump();
  };

  readonly #end = (): void => {
    this.#hasEnded = true;
    this.#pump();
  };

  /** Delivers input: to the prompt, or line by line to the editor, which may call `hold` after any line. */
  #pump(): void {
    if (this.#pumping) return;
    if (this.#asked !== undefined) this.#pumpSecret(this.#asked);
    else if (!this.#isHeld) this.#pumpLine();
  }

  #pumpLine(): void {
    if (this.#typed === "") {
      if (this.#hasEnded) this.lines.end();
      return;
    }
    const end = /[\r\n]/.exec(this.#typed)?.index ?? this.#typed.length - 1;
    this.lines.write(this.#typed.slice(0, end + 1));
    this.#typed = this.#typed.slice(end + 1);
    this.#pumping = true;
    setImmediate(() => {
      this.#pumping = false;
      this.#pump();
    });
  }

  #pumpSecret(asked: Asked): void {
    for (let i = 0; i < this.#typed.length; i++) {
      const key = this.#typed[i] as string;
      if (key === "\r" || key === "\n") {
        const pair = key === "\r" && this.#typed[i + 1] === "\n" ? 2 : 1;
        this.#typed = this.#typed.slice(i + pair);
        asked.resolve(asked.text);
        return;
      }
      if (key === CTRL_C || (key === CTRL_D && asked.text === "")) {
        this.#typed = "";
        asked.reject(new InterruptedError("interrupted"));
        return;
      }
      if (ERASERS.has(key)) asked.text = [...asked.text].slice(0, -1).join("");
      else if (key === CTRL_U) asked.text = "";
      else if (key >= " " || key === "\t") asked.text += key;
    }
    this.#typed = "";
    if (!this.#hasEnded) return;
    if (asked.text === "") asked.reject(new Error("the input ended before the secret was entered"));
    else asked.resolve(asked.text);
  }
}
