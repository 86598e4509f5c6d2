import { type ChildProcess, spawn } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

/** A user without rights, for servers that refuse to run as root. */
const NOBODY = 65_534;
/** How long a server may take to answer, on a machine that does other things too. */
const START_MS = 120_000;

/** What to start a server with. */
export interface ServerCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** Whether it answers by now. */
  isReady(): Promise<boolean>;
}

/** A server of another project on this machine, with its data in a folder for temporary files. */
export class TestServer {
  readonly folder: string;
  readonly #name: string;
  readonly #command: () => ServerCommand;
  #child: ChildProcess | undefined;

  /** @param command - asked for at each start */
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

  /** The user that it runs as: never root. */
  get user(): { readonly uid?: number; readonly gid?: number } {
    return process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  }

  /** Starts it on its data, and waits until it answers. */
  async launch(): Promise<void> {
    const { program, args, isReady } = this.#command();
    const child = spawn(program, args, { cwd: this.folder, stdio: "ignore", ...this.user });
    this.#child = child;
    for (const until = Date.now() + START_MS; !(await isReady()); await pause(50))
      if (Date.now() > until || child.exitCode !== null)
        throw new Error(`${this.#name} does not answer (exit code ${child.exitCode})`);
  }

  /** Ends it, and waits. */
  async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === undefined || !this.isRunning) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    await ended;
  }

  /** Ends it and removes its data. */
  async remove(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    await this.end(signal);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The first of some folders with all of these programs, the path before the others. */
export function findPrograms(names: readonly string[], others: readonly string[]): string | undefined {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), ...others];
  return folders.find((folder) => folder !== "" && names.every((name) => existsSync(join(folder, name))));
}

/** Whether something takes connections on a port. */
export function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}
