import {
  type CodeCompiler,
  type CompiledCode,
  type CompileMode,
  createInlineCompiler,
  HOT,
} from "../../ledger/evm/engine/compiler/code-compiler.ts";
import { concat } from "../../protocol/primitives/bytes.ts";
import { WorkerThread, workerScript } from "./worker-thread.ts";

/** Maximum queued codes; code that becomes hot beyond that is interpreted until it is loaded again. */
const MAX_QUEUED = 64;
/** The thread ends after this long without work, to release its memory. */
const IDLE_MS = 10_000;

/** Compiles hot code off the main thread. */
export interface CodeCompilation extends CodeCompiler {
  close(): Promise<void>;
}

/**
 * Creates the compiler of the main thread: `auto` compiles on a thread that starts with the first hot code, and not at all without a built
 * worker; `always` compiles synchronously. Undefined for `off`.
 * @param options - `inThread: false` compiles synchronously in every mode, for programs in which nothing waits for the main thread
 */
export function createCodeCompilation(
  mode: CompileMode,
  { inThread = true }: { inThread?: boolean } = {},
): CodeCompilation | undefined {
  if (mode === "always" || !inThread) {
    const inline = createInlineCompiler(mode);
    return inline && { ...inline, close: async () => {} };
  }
  const script = mode === "auto" ? workerScript("compile-worker.js") : undefined;
  return script && new CompilationThread(script);
}

class CompilationThread implements CodeCompilation {
  readonly threshold = HOT;
  readonly #thread: WorkerThread<CompiledCode | undefined>;
  #waiting = 0;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(script: URL) {
    this.#thread = new WorkerThread(script);
  }

  compile(code: Uint8Array, table: Uint8Array, done: (compiled: CompiledCode | undefined) => void): void {
    if (this.#waiting >= MAX_QUEUED) return;
    this.#waiting++;
    clearTimeout(this.#idleTimer);
    // if the thread ends, the code is left to the interpreter
    const compiled = this.#thread.ask(concat(table, code)).catch(() => undefined);
    void compiled.then((result) => {
      this.#waiting--;
      if (this.#waiting === 0) this.#idleTimer = setTimeout(() => void this.close(), IDLE_MS).unref();
      done(result);
    });
  }

  async close(): Promise<void> {
    clearTimeout(this.#idleTimer);
    await this.#thread.close();
  }
}
