import { createWriteStream } from "node:fs";
import type { Session } from "node:inspector/promises";
import { pipeline } from "node:stream/promises";
import { getHeapSnapshot } from "node:v8";
import { NodeError } from "../../protocol/primitives/errors.ts";
import { NEW_FILE, wholeOrNone, writeNew } from "./dump-folder.ts";

/** Loaded on first use: it takes a tenth of a node's start-up time. */
const inspector = () => process.getBuiltinModule("node:inspector");

/** A profile or the inspector cannot be started or stopped now. */
export class ProfilerError extends NodeError<"PROFILING" | "NOT_PROFILING" | "INSPECTOR"> {
  override name = "ProfilerError";
}

/** Loopback addresses; other names might resolve elsewhere. */
const LOOPBACK: Readonly<Record<string, string>> = {
  localhost: "127.0.0.1",
  "127.0.0.1": "127.0.0.1",
  "::1": "::1",
};

/** Writes profiles of the process in the formats of Chrome's developer tools, and opens its inspector. */
export class Profiler {
  #session: Session | undefined;
  #file: string | undefined;

  /** File of the CPU profile that was started last. */
  get lastFile(): string | undefined {
    return this.#file;
  }

  /** Starts sampling the stack. @param file - new file to which `stopCpu` writes the `.cpuprofile` @throws ProfilerError */
  async startCpu(file: string): Promise<void> {
    if (this.#session !== undefined)
      throw new ProfilerError("PROFILING", "CPU profiling already in progress");
    this.#file = file;
    const { Session } = process.getBuiltinModule("node:inspector/promises");
    this.#session = new Session();
    this.#session.connect();
    await this.#session.post("Profiler.enable");
    await this.#session.post("Profiler.start");
  }

  /** Ends the CPU profile and writes it. @throws ProfilerError, or the file system's error */
  async stopCpu(): Promise<void> {
    const session = this.#session;
    if (session === undefined) throw new ProfilerError("NOT_PROFILING", "CPU profiling not in progress");
    this.#session = undefined;
    const file = this.#file as string;
    const { profile } = await session.post("Profiler.stop");
    session.disconnect();
    await writeNew(file, JSON.stringify(profile));
  }

  /** Writes a heap snapshot. Blocks the process meanwhile. @throws the file system's error */
  async writeHeap(file: string): Promise<void> {
    const { flag: flags, mode } = NEW_FILE;
    await wholeOrNone(file, pipeline(getHeapSnapshot(), createWriteStream(file, { flags, mode })));
  }

  /** Whether debuggers can connect. */
  get isInspecting(): boolean {
    return inspector().url() !== undefined;
  }

  /**
   * Lets debuggers on this machine connect: Node writes the URL, which grants control of the process, to standard error
   * and nowhere else.
   * @param host - a loopback address
   * @throws ProfilerError when it is open already, for other hosts, and when the port is invalid or in use
   */
  openInspector(host: string, port: number): void {
    if (this.isInspecting) throw refusal("pprof server is already running");
    const address = LOOPBACK[host];
    if (address === undefined) throw refusal("the inspector opens on loopback only");
    if (!Number.isInteger(port) || port < 1 || port > 65535) throw refusal("ports are 1 to 65535");
    inspector().open(port, address);
    if (!this.isInspecting) throw refusal(`the inspector cannot listen on port ${port}`);
  }

  /** @throws ProfilerError when it is not open */
  closeInspector(): void {
    if (!this.isInspecting) throw refusal("pprof server is not running");
    inspector().close();
  }
}

function refusal(message: string): ProfilerError {
  return new ProfilerError("INSPECTOR", message);
}
