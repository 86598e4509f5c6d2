import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import type { ClientSocket } from "./client-socket.ts";
import { PipeFrame, PipeFrameReader, PipeFrameWriter } from "./frames.ts";
import { RemoteSocket } from "./remote-socket.ts";

/** Milliseconds until a process that has ended is replaced. */
const RESTART_MS = 1000;
/** Milliseconds until a process that does not end by itself is killed. */
const CLOSE_MS = 1000;

/** Takes over the socket of an accepted, paused connection. @returns undefined if it stays in this process */
export type SocketTaker = (socket: Socket) => ClientSocket | undefined;

/** What a pool needs. */
export interface IoProcessesOptions {
  /** The program of a process. */
  readonly script: URL;
  readonly count: number;
  /** Flags of Node for these processes. */
  readonly execArgv?: readonly string[];
  /** Called when a process ends that should not have. */
  onFault(error: Error): void;
}

/**
 * Processes that read and write the sockets of clients. Connections are accepted here and go to the process with the fewest;
 * while there is none, they stay here. One that ends takes its connections along and is replaced.
 */
export class IoProcesses {
  readonly #options: IoProcessesOptions;
  readonly #processes = new Set<IoProcess>();
  readonly #restarts = new Set<NodeJS.Timeout>();
  #isClosed = false;

  constructor(options: IoProcessesOptions) {
    this.#options = options;
    for (let i = 0; i < options.count; i++) this.#start();
  }

  readonly take: SocketTaker = (socket) => {
    let chosen: IoProcess | undefined;
    for (const process of this.#processes)
      if (process.isReady && (chosen === undefined || process.size < chosen.size)) chosen = process;
    return chosen?.take(socket);
  };

  /** Resolves once all processes run, or have failed to start. */
  async ready(): Promise<void> {
    await Promise.all(Array.from(this.#processes, (process) => process.started));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#restarts) clearTimeout(timer);
    await Promise.all(Array.from(this.#processes, (process) => process.close()));
  }

  #start(): void {
    const process = new IoProcess(this.#options, (error) => {
      this.#processes.delete(process);
      if (this.#isClosed) return;
      this.#options.onFault(error);
      const timer = setTimeout(() => {
        this.#restarts.delete(timer);
        this.#start();
      }, RESTART_MS);
      this.#restarts.add(timer.unref());
    });
    this.#processes.add(process);
  }
}

/** One process, with its connections. */
class IoProcess {
  readonly started: Promise<void>;
  readonly #child: ChildProcess;
  readonly #frames: PipeFrameWriter;
  readonly #connections = new Map<number, RemoteSocket>();
  readonly #ended: Promise<void>;
  #isReady = false;
  #nextId = 0;

  constructor({ script, execArgv = [] }: IoProcessesOptions, onEnd: (error: Error) => void) {
    this.#child = spawn(process.execPath, [...execArgv, fileURLToPath(script)], {
      stdio: ["ignore", "ignore", "inherit", "ipc", "pipe"],
      env: {},
    });
    const pipe = this.#child.stdio[4] as Socket;
    this.#frames = new PipeFrameWriter(pipe, process.nextTick);
    const reader = new PipeFrameReader((kind, id, payload) => this.#receive(kind, id, payload));
    pipe.on("data", (chunk: Buffer) => reader.feed(chunk));
    pipe.on("error", () => this.#child.kill("SIGKILL"));
    const greeted = new Promise<void>((resolve) => {
      this.#child.once("message", () => {
        this.#isReady = true;
        resolve();
      });
    });
    this.#ended = new Promise((resolve) => {
      const end = (error: Error): void => {
        this.#isReady = false;
        resolve();
        for (const connection of this.#connections.values()) connection.close();
        onEnd(error);
      };
      this.#child.once("error", end);
      this.#child.once("exit", (code, signal) => end(new Error(`an I/O process ended: ${signal ?? code}`)));
    });
    this.started = Promise.race([greeted, this.#ended]);
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  get size(): number {
    return this.#connections.size;
  }

  take(socket: Socket): RemoteSocket {
    const id = this.#nextId;
    this.#nextId = (id + 1) >>> 0;
    const remote = new RemoteSocket(id, this.#frames, socket.remoteAddress, () =>
      this.#connections.delete(id),
    );
    this.#connections.set(id, remote);
    this.#child.send(id, socket, { keepOpen: false }, (error) => {
      if (error !== null) remote.close();
    });
    return remote;
  }

  async close(): Promise<void> {
    const late = setTimeout(() => this.#child.kill("SIGKILL"), CLOSE_MS);
    if (this.#child.connected) this.#child.disconnect();
    await this.#ended;
    clearTimeout(late);
  }

  #receive(kind: PipeFrame, id: number, payload: Buffer): void {
    const connection = this.#connections.get(id);
    if (connection !== undefined) connection.receive(kind, payload);
    else if (kind === PipeFrame.open) this.#frames.signal(PipeFrame.close, id); // given up before it was taken over
  }
}
