import type { Session } from "node:inspector/promises";
import { writeNew } from "./dump-folder.ts";
import { ProfilerError } from "./profiler.ts";

/** Traced categories: garbage collection and compilation, the file system, the network, worker threads, timings. */
const CATEGORIES = [
  "v8",
  "node.fs.sync",
  "node.fs.async",
  "node.net.native",
  "node.threadpoolwork",
  "node.perf",
];

/** Maximum number of events kept, about 300 MiB. Later ones are dropped. */
const MAX_EVENTS = 1_000_000;

/** Records a trace of the runtime in the format of Perfetto and chrome://tracing. */
export class EventTrace {
  #session: Session | undefined;
  #file = "";
  #events: unknown[] = [];

  /** Starts recording. @param file - new file to which `stop` writes @throws ProfilerError while a trace is running */
  async start(file: string): Promise<void> {
    if (this.#session !== undefined) throw new ProfilerError("PROFILING", "trace already in progress");
    const { Session } = process.getBuiltinModule("node:inspector/promises");
    const session = new Session();
    this.#session = session;
    this.#file = file;
    this.#events = [];
    session.connect();
    session.on("NodeTracing.dataCollected", ({ params }) => this.#keep(params.value));
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
    await writeNew(this.#file, JSON.stringify({ traceEvents: this.#events }));
    this.#events = [];
  }

  #keep(events: readonly unknown[]): void {
    for (const event of events.slice(0, MAX_EVENTS - this.#events.length)) this.#events.push(event);
  }
}
