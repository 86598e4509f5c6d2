import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import type { ClientSocket } from "./client-socket.ts";
import { PipeFrame, PipeFrameReader, PipeFrameWriter } from "./frames.ts";
import { RemoteSocket } from "./remote-socket.ts";

/** Milliseconds before a process that has ended is replaced; doubled each time one ends soon after its start. */
const FIRST_RESTART_MS = 1000;
/** Longest delay before a process is replaced. */
const MAX_RESTART_MS = 60_000;
/** Sockets on their way to a process beyond which new ones stay in the main process: they are passed one after the other. */
const MAX_PASSING = 128;
/** Milliseconds after which a process that does not exit on its own is killed. */
const CLOSE_MS = 1000;
/** Milliseconds between checks that a process still responds. */
const CHECK_MS = 5000;
/** Unanswered checks after which it is killed: its clients have then waited as long as any client may. */
const MAX_UNANSWERED = 6;

/** Takes over the socket of an accepted, paused connection. @returns what stands for it, or undefined if it stays in this process */
export type SocketTaker = (socket: Socket) => ClientSocket | undefined;

/** Configuration of the processes. */
export interface IoProcessesOptions {
  /** The program that they run. */
  readonly script: URL;
  readonly count: number;
  /** Node.js flags of these processes. */
  readonly execArgv?: readonly string[];
  /** Called when a process ends unexpectedly, or cannot be started. */
  onFault(error: Error): void;
}

/**
 * Processes that read and write clients' sockets. Connections are accepted here and passed to the process that has the fewest;
 * while no process is ready, they stay here. When one ends, its connections are closed and it is replaced; one
 * that hangs is killed.
 */
export class IoProcesses {
  readonly #options: IoProcessesOptions;
  readonly #processes = new Set<IoProcess>();
  readonly #restarts = new Set<NodeJS.Timeout>();
  #isClosed = false;

  constructor(options: IoProcessesOptions) {
    this.#options = options;
    for (let i = 0; i < options.count; i++) this.#start(FIRST_RESTART_MS);
  }

  readonly take: SocketTaker = (socket) => {
    let chosen: IoProcess | undefined;
    for (const process of this.#processes)
      if (process.isReady && (chosen === undefined || process.size < chosen.size)) chosen = process;
    return chosen?.take(socket);
  };

  /** Resolves once every process is ready or has failed to start. */
  async ready(): Promise<void> {
    await Promise.all(Array.from(this.#processes, (process) => process.started));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#restarts) clearTimeout(timer);
    await Promise.all(Array.from(this.#processes, (process) => process.close()));
  }

  /** @param delayMs - how long to wait for the next one if this one ends before it has run for `MAX_RESTART_MS` */
  #start(delayMs: number): void {
    const startedAt = performance.now();
    let process: IoProcess | undefined;
    let isOver = false;
    const replace = (error: Error): void => {
      if (isOver) return;
      isOver = true;
      if (process) this.#processes.delete(process);
      const isStable = performance.now() - startedAt >= MAX_RESTART_MS;
      if (!this.#isClosed) this.#restart(error, isStable ? FIRST_RESTART_MS : delayMs);
    };
    try {
      process = new IoProcess(this.#options, replace);
      this.#processes.add(process);
    } catch (error) {
      replace(error as Error);
    }
  }

  #restart(error: Error, delayMs: number): void {
    this.#options.onFault(error);
    const timer = setTimeout(() => {
      this.#restarts.delete(timer);
      this.#start(Math.min(2 * delayMs, MAX_RESTART_MS));
    }, delayMs);
    this.#restarts.add(timer.unref());
  }
}

/** One process and its connections. */
class IoProcess {
  readonly started: Promise<void>;
  readonly #child: ChildProcess;
  readonly #frames: PipeFrameWriter;
  readonly #connections = new Map<number, RemoteSocket>();
  /** Sockets that the process has yet to open. */
  readonly #passing = new Map<number, Socket>();
  readonly #ended: Promise<void>;
  readonly #clock: NodeJS.Timeout;
  #isReady = false;
  /** Why the process is being killed: nothing else is read from it, nor passed to it. */
  #broken: Error | undefined;
  /** Checks since its last answer. */
  #unanswered = 0;
  #nextId = 0;

  /**
   * @param onEnd - called when the process has ended, possibly more than once
   * @throws Error of the system when it cannot be started
   */
  constructor({ script, execArgv = [] }: IoProcessesOptions, onEnd: (error: Error) => void) {
    this.#child = spawn(process.execPath, [...execArgv, fileURLToPath(script)], {
      stdio: ["ignore", "ignore", "inherit", "ipc", "pipe"],
      env: {},
    });
    this.#child.on("error", () => {}); // also if this constructor throws
    // Absent when the descriptors of this process are used up; an error event follows.
    const pipe = this.#child.stdio?.[4] as Socket | undefined;
    if (pipe === undefined) throw new Error("an I/O process could not be started");
    this.#frames = new PipeFrameWriter(pipe, (flush) => process.nextTick(() => this.#guard(flush)));
    const reader = new PipeFrameReader((kind, id, payload) => this.#receive(kind, id, payload));
    pipe.on("data", (chunk: Buffer) => this.#guard(() => reader.feed(chunk)));
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
        clearInterval(this.#clock);
        resolve();
        for (const connection of this.#connections.values()) connection.close();
        onEnd(error);
      };
      this.#child.on("error", (error) => {
        if (this.#child.pid === undefined) end(error);
        else this.#kill(error); // it runs: a replacement beside it would be one too many
      });
      this.#child.once("exit", (code, signal) =>
        end(this.#broken ?? new Error(`an I/O process ended: ${signal ?? code}`)),
      );
    });
    this.#clock = setInterval(() => this.#guard(() => this.#checkAlive()), CHECK_MS).unref();
    this.started = Promise.race([greeted, this.#ended]);
  }

  /** Whether it may be passed sockets: not when two checks are unanswered, or it falls behind. */
  get isReady(): boolean {
    const isPrompt = this.#unanswered < 2 && this.#passing.size < MAX_PASSING;
    return isPrompt && this.#isReady && this.#broken === undefined && this.#child.connected;
  }

  /** Number of its connections. */
  get size(): number {
    return this.#connections.size;
  }

  take(socket: Socket): RemoteSocket {
    const id = this.#nextId;
    this.#nextId = (id + 1) >>> 0;
    const remote = new RemoteSocket(id, this.#frames, socket.remoteAddress, () => {
      this.#connections.delete(id);
      this.#release(id);
    });
    this.#connections.set(id, remote);
    this.#passing.set(id, socket);
    // A server that tracks sockets in other processes never closes if these have all ended.
    (socket as { server?: unknown }).server = undefined;
    // Node.js would not close sockets that are still queued or unacknowledged when the process ends.
    this.#child.send(id, socket, { keepOpen: true }, (error) => {
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

  /** Runs a step unless the process is being killed. What it throws ends the process, and nothing else. */
  #guard(step: () => void): void {
    if (this.#broken !== undefined) return;
    try {
      step();
    } catch (error) {
      this.#kill(error as Error);
    }
  }

  /** Its connections are closed, and it is replaced, when it has ended. */
  #kill(why: Error): void {
    this.#broken ??= why;
    this.#child.kill("SIGKILL");
  }

  /** Closes the descriptor of a socket in this process. */
  #release(id: number): void {
    this.#passing.get(id)?.destroy();
    this.#passing.delete(id);
  }

  /** A process that hangs would keep its connections for ever. */
  #checkAlive(): void {
    if (this.#unanswered === MAX_UNANSWERED) this.#kill(new Error("an I/O process does not respond"));
    this.#unanswered++;
    this.#frames.signal(PipeFrame.alive, 0);
  }

  #receive(kind: PipeFrame, id: number, payload: Buffer): void {
    if (kind === PipeFrame.alive) {
      this.#unanswered = 0;
      return;
    }
    if (kind === PipeFrame.open) this.#release(id);
    const connection = this.#connections.get(id);
    if (connection !== undefined) connection.receive(kind, payload);
    else if (kind === PipeFrame.open) this.#frames.signal(PipeFrame.close, id); // destroyed here before it was open there
  }
}
