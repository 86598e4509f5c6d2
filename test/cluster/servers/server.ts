import { type ChildProcess, spawn } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

/** A user without rights, for servers that refuse to run as root. */
const NOBODY = 65_534;
/** How long a server may take to respond, on a busy machine. */
const START_MS = 120_000;

/** The command that starts a server. */
export interface ServerCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** Whether it responds. */
  isReady(): Promise<boolean>;
}

/** A third-party server on this machine, with its data in a temporary folder. */
export class TestServer {
  readonly folder: string;
  readonly #name: string;
  readonly #command: () => ServerCommand;
  #child: ChildProcess | undefined;

  /** @param command - evaluated at each start */
  constructor(name: string, command: () => ServerCommand) {
    this.folder = mkdtempSync(join(tmpdir(), `kairn-${name}-`));
    this.give(this.folder);
    this.#name = name;
    this.#command = command;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Makes the server's user the owner of a file or folder. */
  give(path: string): void {
    if (process.getuid?.() === 0) chownSync(path, NOBODY, NOBODY);
  }

  /** The user it runs as: never root. */
  get user(): { readonly uid?: number; readonly gid?: number } {
    return process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  }

  /** Starts it on its data, and waits until it responds. */
  async launch(): Promise<void> {
    const { program, args, isReady } = this.#command();
    const child = spawn(program, args, { cwd: this.folder, stdio: "ignore", ...this.user });
    this.#child = child;
    for (const until = Date.now() + START_MS; !(await isReady()); await pause(50))
      if (Date.now() > until || child.exitCode !== null)
        throw new Error(`${this.#name} does not respond (exit code ${child.exitCode})`);
  }

  /** Stops it, and waits. */
  async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === undefined || !this.isRunning) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    await ended;
  }

  /** Stops it and removes its data. */
  async remove(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    await this.end(signal);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The first folder that has all of these programs, the path before the others. */
export function findPrograms(names: readonly string[], others: readonly string[]): string | undefined {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), ...others];
  return folders.find((folder) => folder !== "" && names.every((name) => existsSync(join(folder, name))));
}

/** Whether something accepts connections on a port. */
export function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
