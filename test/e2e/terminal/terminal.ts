import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const driver = fileURLToPath(new URL("drive.py", import.meta.url));
const program = fileURLToPath(new URL("../../../bin/kairn", import.meta.url));
const TIMEOUT_MS = 20_000;

/** Whether this machine supports pseudo-terminals: Python 3 on Unix. */
export const hasTerminal =
  process.platform !== "win32" && spawnSync("python3", ["-c", "import pty"]).status === 0;

/** `kairn` in a pseudo-terminal, as a user sees it: screen text without colours and cursor movements. */
export class Terminal implements AsyncDisposable {
  readonly exit: Promise<number | null>;
  readonly #child: ChildProcess;
  #screen = "";
  /** Called on new output. */
  #look: () => void = () => {};
  /** Output before the last `expect` that matched. */
  #read = 0;

  constructor(...args: string[]) {
    this.#child = spawn("python3", [driver, process.execPath, program, ...args], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.exit = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.stdout?.on("data", (chunk: Buffer) => {
      this.#screen += String(chunk);
      this.#look();
    });
  }

  /** All output since the start. */
  get screen(): string {
    return plain(this.#screen);
  }

  type(keys: string): void {
    this.#child.stdin?.write(keys);
  }

  /** Waits until a text or pattern appears after the last match. @returns the output up to its end */
  expect(wanted: string | RegExp): Promise<string> {
    return new Promise((resolve, reject) => {
      const unread = () => plain(this.#screen).slice(this.#read);
      const late = setTimeout(() => {
        this.#look = () => {};
        reject(new Error(`${wanted} was not shown, but: ${JSON.stringify(unread())}`));
      }, TIMEOUT_MS);
      this.#look = () => {
        const end = endOf(unread(), wanted);
        if (end < 0) return;
        clearTimeout(late);
        this.#look = () => {};
        const shown = unread().slice(0, end);
        this.#read += end;
        resolve(shown);
      };
      this.#look();
    });
  }

  /** Types a line and waits for the next prompt. @returns the output between them */
  async run(line: string): Promise<string> {
    this.type(`${line}\r`);
    await this.expect(`${line}\n`);
    return (await this.expect(/\n> $/)).replace(/\n> $/, "");
  }

  /** Stops the program, if it is still running. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.exit;
  }
}

function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences of terminals
  return text.replace(/\u001b\[[0-9;]*[A-Za-z]/g, "").replace(/\r+\n/g, "\n");
}

function endOf(text: string, wanted: string | RegExp): number {
  if (typeof wanted === "string") {
    const at = text.indexOf(wanted);
    return at < 0 ? -1 : at + wanted.length;
  }
  const match = wanted.exec(text);
  return match === null ? -1 : match.index + match[0].length;
}
