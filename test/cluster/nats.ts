import { type ChildProcess, spawn } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "../e2e/free-port.ts";

const NOBODY = 65_534;
const START_MS = 60_000;

/** The NATS server's program, on the path or in Debian's folder. */
export function findNats(): string | undefined {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin"];
  return folders.map((folder) => join(folder, "nats-server")).find(existsSync);
}

/** A NATS server with JetStream on loopback, with its data in a folder for temporary files. */
export class Nats {
  readonly port: number;
  readonly #program: string;
  readonly #folder: string;
  #server: ChildProcess | undefined;

  private constructor(program: string, folder: string, port: number) {
    this.#program = program;
    this.#folder = folder;
    this.port = port;
  }

  static async start(program: string): Promise<Nats> {
    const folder = mkdtempSync(join(tmpdir(), "kairn-nats-"));
    if (process.getuid?.() === 0) chownSync(folder, NOBODY, NOBODY);
    const nats = new Nats(program, folder, await freePort());
    await nats.launch();
    return nats;
  }

  /** Address with the user and password that the server asks for. */
  get url(): string {
    return `nats://kairn:secret@127.0.0.1:${this.port}`;
  }

  async launch(): Promise<void> {
    const listen = ["-a", "127.0.0.1", "-p", String(this.port), "--user", "kairn", "--pass", "secret"];
    const ids = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
    this.#server = spawn(this.#program, [...listen, "-js", "-sd", this.#folder], { stdio: "ignore", ...ids });
    for (const until = Date.now() + START_MS; !(await answers(this.port)); await pause(50))
      if (Date.now() > until) throw new Error("nats-server does not answer");
  }

  async end(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    const server = this.#server;
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const ended = new Promise((resolve) => server.once("exit", resolve));
    server.kill(signal);
    await ended;
  }

  async remove(): Promise<void> {
    await this.end("SIGKILL");
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("data", () => resolve(true)).once("error", () => resolve(false));
    socket.once("data", () => socket.destroy());
  });
}
