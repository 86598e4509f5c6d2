import { writeFile } from "node:fs/promises";
import type { Session } from "node:inspector/promises";
import { ProfilerError } from "./profiler.ts";

/** What is traced: garbage collection and compilation, the file system, the network, worker threads, timings. */
const CATEGORIES = [
  "v8",
  "node.fs.sync",
  "node.fs.async",
  "node.net.native",
  "node.threadpoolwork",
  "node.perf",
];

/** Writes what the runtime did over time, in the format that Perfetto and chrome://tracing open. */
export class EventTrace {
  #session: Session | undefined;
  #file = "";
  #events: unknown[] = [];

  /** Starts to record. @param file - where `stop` writes @throws ProfilerError while a trace is running */
  async start(file: string): Promise<void> {
    if (this.#session !== undefined) throw new ProfilerError("PROFILING", "trace already in progress");
    const { Session } = process.getBuiltinModule("node:inspector/promises");
    const session = new Session();
    this.#session = session;
    this.#file = file;
    this.#events = [];
    session.connect();
    session.on("NodeTracing.dataCollected", ({ params }) => void this.#events.push(...params.value));
    await session.post("NodeTracing.start", { traceConfig: { includedCategories: CATEGORIES } });
  }

  /** Ends the recording and writes it. @throws ProfilerError, or the file system's error */
  async stop(): Promise<void> {
    const session = this.#session;
    if (session === undefined) throw new ProfilerError("NOT_PROFILING", "trace not in progress");
    this.#session = undefined;
    const complete = new Promise<void>((resolve) =>
      session.once("NodeTracing.tracingComplete", () => resolve()),
    );
    await session.post("NodeTracing.stop");
    await complete;
    session.disconnect();
    await writeFile(this.#file, JSON.stringify({ traceEvents: this.#events }));
    this.#events = [];
  }
}
