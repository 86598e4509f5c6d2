import { writeFile } from "node:fs/promises";
import type { Session } from "node:inspector/promises";
import { writeHeapSnapshot } from "node:v8";
import { NodeError } from "../../protocol/primitives/errors.ts";

/** Loaded at the first use: it costs a tenth of a node's start. */
const inspector = () => process.getBuiltinModule("node:inspector");

/** A profile cannot be started or ended now. */
export class ProfilerError extends NodeError<"PROFILING" | "NOT_PROFILING" | "INSPECTOR"> {
  override name = "ProfilerError";
}

/** Writes profiles of the process in the formats of Chrome's developer tools, and opens its inspector. */
export class Profiler {
  #session: Session | undefined;
  #file = "";

  /** Starts to sample the stack. @param file - where `stopCpu` writes the `.cpuprofile` @throws ProfilerError */
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
    const { profile } = await session.post("Profiler.stop");
    session.disconnect();
    await writeFile(this.#file, JSON.stringify(profile));
  }

  /** Writes a heap snapshot. The process stands still meanwhile. */
  writeHeap(file: string): void {
    writeHeapSnapshot(file);
  }

  /** Whether debuggers can connect. */
  get isInspecting(): boolean {
    return inspector().url() !== undefined;
  }

  /** Lets debuggers connect. @throws ProfilerError when they already can */
  openInspector(host: string, port: number): void {
    const url = inspector().url();
    if (url !== undefined)
      throw new ProfilerError("INSPECTOR", `the inspector is already listening on ${url}`);
    inspector().open(port, host);
  }

  /** @throws ProfilerError when they could not connect */
  closeInspector(): void {
    if (!this.isInspecting) throw new ProfilerError("INSPECTOR", "the inspector is not running");
    inspector().close();
  }
}
