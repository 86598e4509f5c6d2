import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import { visible } from "../../protocol/primitives/visible.ts";
import type { SendRequest } from "../client/client.ts";
import type {
  BridgedFailure,
  BridgeQuestion,
  BridgeReply,
  EvaluationOutcome,
  NumberedReply,
  WorkerCommand,
  WorkerMessage,
} from "./bridge.ts";
import { callWithDeviceHelp } from "./device-help.ts";
import { ConsoleError } from "./errors.ts";
import { modulesOf, type ServedModules } from "./modules.ts";
import type { Completions } from "./sandbox/complete.ts";
import { attachTerminator, type Terminator } from "./terminate.ts";
import { withTimeout } from "./with-timeout.ts";

/** Initial data of the evaluating thread. */
export interface WorkerSetup {
  readonly replies: MessagePort;
  /** One 32-bit word; 1 = the reply to the last request has been sent. */
  readonly signal: SharedArrayBuffer;
  readonly modules: readonly string[];
  readonly document?: unknown;
  readonly colors: boolean;
  readonly scriptFolder: string;
}

/** Dependencies of an evaluator. */
export interface EvaluatorParts {
  readonly request: SendRequest;
  readonly colors: boolean;
  readonly scriptFolder: string;
  /** Prompts the user for a secret. @throws when the signal aborts */
  askSecret(question: string, signal: AbortSignal): Promise<string>;
  print(text: string): void;
}

/** Interval of pings to a thread that is being interrupted. */
const PING_MS = 10;
const INTERRUPTED: EvaluationOutcome = { text: "Error: interrupted", failed: true };

/** Evaluates in a separate thread, one text at a time, and serves that thread's requests. */
export class Evaluator {
  readonly #parts: EvaluatorParts;
  readonly #worker: Worker;
  readonly #replies: MessagePort;
  readonly #flag: Int32Array;
  #done: ((outcome: EvaluationOutcome) => void) | undefined;
  #completed: ((completions: Completions) => void) | undefined;
  #question: AbortController | undefined;
  /** State of the evaluation: ordered, running, or waiting for a promise. */
  #state: "ordered" | "running" | "awaiting" = "ordered";
  /** Whether the user has interrupted it. */
  #isInterrupted = false;
  /** Completes the termination in progress. */
  #onFree: (() => void) | undefined;
  /** Settles when no evaluation is being terminated. */
  #free: Promise<void> = Promise.resolve();
  readonly #terminator: Promise<Terminator>;

  /** @see createEvaluator */
  constructor(parts: EvaluatorParts, modules: readonly string[], document: unknown) {
    const { port1, port2 } = new MessageChannel();
    const signal = new SharedArrayBuffer(4);
    const { colors, scriptFolder } = parts;
    const workerData: WorkerSetup = { replies: port2, signal, modules, document, colors, scriptFolder };
    this.#parts = parts;
    this.#replies = port1;
    this.#flag = new Int32Array(signal);
    this.#worker = new Worker(workerScript(), { workerData, transferList: [port2], name: "console" });
    this.#terminator = attachTerminator(this.#worker.threadId);
    this.#worker.on("message", (message: WorkerMessage) => this.#receive(message));
    this.#worker.on("error", (error) => this.#finish({ text: visible(String(error)), failed: true }));
  }

  /** Evaluates a text; with `file`, a script. Only one at a time. */
  evaluate(source: string, file?: string): Promise<EvaluationOutcome> {
    return new Promise((resolve) => {
      this.#done = resolve;
      this.#state = "ordered";
      this.#isInterrupted = false;
      const command: WorkerCommand = { kind: "evaluate", source, ...(file !== undefined && { file }) };
      void this.#free.then(() => this.#send(command));
    });
  }

  complete(line: string): Promise<Completions> {
    return new Promise((resolve) => {
      this.#completed = resolve;
      this.#send({ kind: "complete", line });
    });
  }

  /** Stops running code: a call, a wait, a promise or a loop. Variables keep their values. */
  interrupt(): void {
    if (this.#done === undefined) return;
    this.#isInterrupted = true;
    if (this.#question !== undefined) this.#question.abort(new Error("interrupted"));
    else if (this.#state === "awaiting") this.#send({ kind: "abandon" });
    else if (this.#state === "running") this.#terminate();
  }

  /**
   * Terminates JavaScript that makes no requests, or ignores that they fail. Complete once the thread answers a ping; until then
   * nothing else is evaluated, since that could be terminated by mistake.
   */
  #terminate(): void {
    if (this.#onFree !== undefined) return;
    const done = this.#done;
    const pings = setInterval(() => this.#send({ kind: "ping" }), PING_MS);
    this.#free = new Promise((resolve) => {
      this.#onFree = () => {
        clearInterval(pings);
        this.#onFree = undefined;
        if (this.#done === done) this.#finish(INTERRUPTED);
        resolve();
      };
    });
    void this.#terminator.then((terminator) => terminator.terminate());
  }

  async close(): Promise<void> {
    this.#question?.abort(new Error("the console is closed"));
    this.#replies.close();
    (await this.#terminator).close();
    await this.#worker.terminate();
  }

  #send(command: WorkerCommand): void {
    this.#worker.postMessage(command);
  }

  #receive(message: WorkerMessage): void {
    switch (message.kind) {
      case "print":
        this.#parts.print(message.text);
        break;
      case "running":
      case "awaiting":
        this.#state = message.kind;
        if (this.#isInterrupted) this.interrupt();
        break;
      case "done":
        this.#finish(message.outcome);
        break;
      case "pong":
        this.#onFree?.();
        break;
      case "completions":
        this.#completed?.(message);
        break;
      case "ask":
        void this.#answer(message.id, message.question);
        break;
    }
  }

  #finish(outcome: EvaluationOutcome): void {
    const done = this.#done;
    this.#done = undefined;
    this.#isInterrupted = false;
    done?.(outcome);
  }

  async #answer(id: number, question: BridgeQuestion): Promise<void> {
    const stopped = new AbortController();
    this.#question = stopped;
    if (this.#isInterrupted) {
      stopped.abort(new Error("interrupted"));
      this.#terminate();
    }
    const answer = await this.#answerTo(question, stopped.signal);
    if (this.#question === stopped) this.#question = undefined;
    this.#reply({ id, answer });
    Atomics.store(this.#flag, 0, 1);
    Atomics.notify(this.#flag, 0);
  }

  /** A value nested too deeply to be passed between threads becomes an error. */
  #reply(reply: NumberedReply): void {
    try {
      this.#replies.postMessage(reply);
    } catch {
      const failure = { message: "the result is nested too deeply" };
      this.#replies.postMessage({ id: reply.id, answer: { failure } } satisfies NumberedReply);
    }
  }

  async #answerTo(question: BridgeQuestion, signal: AbortSignal): Promise<BridgeReply> {
    try {
      signal.throwIfAborted();
      return { value: await Promise.race([this.#valueFor(question, signal), rejectionOn(signal)]) };
    } catch (error) {
      return { failure: failureOf(error) };
    }
  }

  async #valueFor(question: BridgeQuestion, signal: AbortSignal): Promise<unknown> {
    switch (question.kind) {
      case "call":
        return callWithDeviceHelp(question.method, question.params, {
          request: this.#parts.request,
          print: (text) => signal.aborted || this.#parts.print(text),
        });
      case "sleep":
        return new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, question.milliseconds);
          signal.addEventListener("abort", () => clearTimeout(timer));
        });
      case "secret":
        return this.#secret(question, signal);
    }
  }

  async #secret(
    { question, twice }: BridgeQuestion & { kind: "secret" },
    signal: AbortSignal,
  ): Promise<string> {
    const first = await this.#parts.askSecret(question, signal);
    if (!twice) return first;
    const again = `Repeat ${question[0]?.toLowerCase()}${question.slice(1)}`;
    if ((await this.#parts.askSecret(again, signal)) !== first) throw new Error("passwords don't match!");
    return first;
  }
}

function rejectionOn(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
  });
}

function failureOf(error: unknown): BridgedFailure {
  if (!(error instanceof Error)) return { message: String(error) };
  const { message, code, data } = error as Error & { code?: unknown; data?: unknown };
  return {
    message,
    ...(typeof code === "number" && { code }),
    ...(data !== undefined && { data: plain(data) }),
  };
}

/** A copy that can be passed to another thread. */
function plain(data: unknown): unknown {
  if (data === undefined) return undefined;
  try {
    return JSON.parse(JSON.stringify(data));
  } catch {
    return undefined; // nested too deeply
  }
}

/**
 * Creates an evaluator with the modules of the node behind `request`.
 * @throws what `request` throws for `rpc_modules`
 */
export async function createEvaluator(parts: EvaluatorParts): Promise<{
  readonly evaluator: Evaluator;
  readonly modules: ServedModules;
}> {
  const modules = modulesOf(await withTimeout(parts.request("rpc_modules", [])));
  const document = plain(await withTimeout(parts.request("rpc_discover", [])).catch(() => undefined));
  return { evaluator: new Evaluator(parts, Object.keys(modules), document), modules };
}

/** The built worker script: beside the program's files or one folder above its chunks. */
function workerScript(): URL {
  const places = ["console-worker.js", "../console-worker.js"].map((name) => new URL(name, import.meta.url));
  const found = places.find((place) => existsSync(fileURLToPath(place)));
  if (found === undefined)
    throw new ConsoleError("CONSOLE_NOT_BUILT", "the console is not built; run npm run build");
  return found;
}
