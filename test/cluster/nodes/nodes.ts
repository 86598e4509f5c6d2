import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { cpuSeconds } from "./processes.ts";
import { ProgressDeadline } from "./progress-deadline.ts";

const PROGRAM = fileURLToPath(new URL("../../../bin/kairn", import.meta.url));
/** How long a node may take to stop, on a busy machine. */
const TIMEOUT_MS = 90_000;

/** One node of a cluster: a process of the built program. */
export class ClusterNode {
  readonly port: number;
  readonly url: string;
  readonly #args: readonly string[];
  #process: ChildProcess | undefined;
  #output = "";
  #ended: Promise<number | null> = Promise.resolve(null);

  /** @param args - of `kairn`, without port */
  constructor(port: number, args: readonly string[]) {
    this.port = port;
    this.url = `http://127.0.0.1:${port}`;
    this.#args = args;
  }

  /** Starts the process, with further arguments. */
  launch(...more: readonly string[]): this {
    const args = [PROGRAM, ...this.#args, "--rpcport", String(this.port), ...more];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
    this.#process = child;
    this.#output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (text) => {
        this.#output = `${this.#output}${text}`.slice(-20_000);
      });
    this.#ended = new Promise((resolve) => child.once("close", resolve)); // after all its output
    return this;
  }

  /** The end of its output. */
  get output(): string {
    return this.#output;
  }

  get isRunning(): boolean {
    return (
      this.#process !== undefined && this.#process.exitCode === null && this.#process.signalCode === null
    );
  }

  /** Sends it a signal. */
  signal(signal: NodeJS.Signals): void {
    this.#process?.kill(signal);
  }

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  /** Exit code of the process, once it has exited; null after a signal. @throws Error if it does not */
  async exits(): Promise<number | null> {
    const late = pause(TIMEOUT_MS, "late" as const, { ref: false });
    const code = await Promise.race([this.#ended, late]);
    if (code === "late") throw new Error(`it did not exit:\n${this.#output.slice(-3_000)}`);
    return code;
  }

  /**
   * A deadline that is extended as long as the node makes progress: output, a change of `progress`, or a second of CPU time, which a
   * waiting node does not use within the limit.
   */
  deadline(progress: () => unknown = () => undefined): ProgressDeadline {
    return new ProgressDeadline(() => `${this.#output.length} ${this.#worked} ${progress()}`);
  }

  /** Whole seconds of CPU time. */
  get #worked(): number {
    try {
      return Math.floor(cpuSeconds(this.pid));
    } catch {
      return 0; // it has exited, or the system does not provide it
    }
  }

  /** Waits for a text in its output. */
  async says(text: string): Promise<void> {
    for (const deadline = this.deadline(); !deadline.isOver; await pause(20))
      if (this.#output.includes(text)) return;
    throw new Error(`it did not print "${text}":\n${this.#output.slice(-3_000)}`);
  }

  /** Stops it and waits. */
  async end(signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> {
    if (!this.isRunning) return this.#process?.exitCode ?? null;
    this.signal("SIGCONT");
    this.signal(signal);
    const late = setTimeout(() => this.signal("SIGKILL"), 30_000);
    const code = await this.#ended;
    clearTimeout(late);
    return code;
  }

  /** Calls a method. @throws Error with the node's message */
  call<T = unknown>(method: string, ...params: readonly unknown[]): Promise<T> {
    return this.#call(method, params);
  }

  /** Calls a method once the node has a block. @throws Error with its code and text */
  callFrom<T = unknown>(block: number, method: string, ...params: readonly unknown[]): Promise<T> {
    return this.#call(method, params, { "kairn-min-block": String(block) });
  }

  async #call<T>(
    method: string,
    params: readonly unknown[],
    fields: Record<string, string> = {},
  ): Promise<T> {
    const response = await fetch(this.url, {
      method: "POST",
      headers: { "content-type": "application/json", ...fields },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      signal: AbortSignal.timeout(20_000),
    });
    const { result, error } = (await response.json()) as {
      result: T;
      error?: { code: number; message: string };
    };
    if (error) throw Object.assign(new Error(error.message), { code: error.code });
    return result;
  }

  /** Number of its newest block; undefined while it does not respond. */
  async height(): Promise<number | undefined> {
    try {
      return Number(await this.call<string>("eth_blockNumber"));
    } catch {
      return undefined;
    }
  }

  /** Waits until it reaches a block. @throws Error with its output */
  async reaches(height: number): Promise<number> {
    let last: number | undefined;
    for (const deadline = this.deadline(() => last); !deadline.isOver; await pause(50)) {
      last = await this.height();
      if (last !== undefined && last >= height) return last;
      if (!this.isRunning) break;
    }
    throw new Error(`block ${height} was not reached, but ${last}:\n${this.#output.slice(-3_000)}`);
  }
}
