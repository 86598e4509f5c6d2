import { escapeHtml } from "../../../../protocol/codec/json/value.ts";
import type { StateJournal } from "../../../state/journal/journal-types.ts";
import { EvmTimeout, type StepInfo, type Tracer } from "../../evm.ts";
import { TracerError, throwNoResult } from "../errors.ts";
import type { TracedOutcome, TracedTransaction } from "../tracer.ts";
import { CallStack } from "./call-stack.ts";
import { ContextRequests } from "./context-requests.ts";
import { FrameRequests } from "./frame-requests.ts";
import { HostRequest, type HostResponse } from "./protocol.ts";
import type { ScriptEngine } from "./script-engine.ts";
import { StateRequests } from "./state-requests.ts";
import { StepRequests } from "./step-requests.ts";

/** A script and the engine to run it in. */
export interface ScriptParts {
  readonly engine: ScriptEngine;
  /** A JavaScript expression that evaluates to an object with the methods of a tracer. */
  readonly code: string;
  /** Whether to stop the script; polled every few thousand operations. */
  shouldStop(): boolean;
}

type Hook = "step" | "fault" | "enter" | "exit";

/** Traces one transaction with the caller's script. */
export interface TransactionScript {
  readonly hooks: Tracer;
  /** The script's result as JSON text. Called once, after the transaction. @throws TracerError `SCRIPT`, `NO_RESULT`; EvmTimeout */
  resultText(outcome: TracedOutcome): string;
}

/**
 * Creates a tracer from the caller's script, for one transaction. Its hooks throw EvmTimeout when the script exceeds its time; an
 * error in the script ends the tracing, not the transaction, and is thrown by `resultText`.
 * @throws TracerError `SCRIPT` when the code has an error or lacks a function
 */
export function scriptTracer(
  { engine, code, shouldStop }: ScriptParts,
  transaction: TracedTransaction,
  state: StateJournal,
): TransactionScript {
  return new ScriptTracer(engine, transaction, state, shouldStop).start(code);
}

class ScriptTracer implements TransactionScript {
  readonly #engine: ScriptEngine;
  readonly #shouldStop: () => boolean;
  readonly #calls = new CallStack();
  readonly #steps: StepRequests;
  readonly #frames: FrameRequests;
  readonly #state: StateRequests;
  readonly #context: ContextRequests;
  /** The last error of the script; and the first one in a hook, with the hook's name. */
  #failure: string | undefined;
  #hookFailure: string | undefined;
  hooks: Tracer = {};

  constructor(
    engine: ScriptEngine,
    transaction: TracedTransaction,
    state: StateJournal,
    shouldStop: () => boolean,
  ) {
    this.#engine = engine;
    this.#shouldStop = shouldStop;
    this.#steps = new StepRequests(engine, this.#calls);
    this.#frames = new FrameRequests(engine);
    this.#state = new StateRequests(engine, state);
    this.#context = new ContextRequests(transaction);
  }

  start(code: string): this {
    if (code.trim() === "")
      throw new TracerError("SCRIPT", "SyntaxError: empty expression not allowed (line 1)");
    this.#engine.begin({
      answer: (request, bytes, text) => this.#answer(request, bytes, text),
      shouldStop: this.#shouldStop,
    });
    const has = new Set(JSON.parse(this.#call("create", code)) as string[]);
    checkFunctions(has);
    const hasSteps = has.has("step");
    this.hooks = {
      enter: (call) => {
        this.#calls.enter(call);
        if (call.depth === 0) return this.#context.begun(call);
        if (!has.has("enter") || this.#hookFailure !== undefined) return;
        this.#frames.entered(call);
        this.#run("enter");
      },
      exit: (end) => {
        if (end.depth === 0) return this.#context.ended(end);
        if (!has.has("exit") || this.#hookFailure !== undefined) return;
        this.#frames.exited(end);
        this.#run("exit");
      },
      ...(hasSteps && { step: (step) => this.#step(step) }),
      fault: (step) => this.#fault(step, hasSteps),
    };
    return this;
  }

  resultText(outcome: TracedOutcome): string {
    this.#context.finish(outcome);
    const text = this.#call("result");
    if (this.#hookFailure !== undefined) throw scriptError(this.#hookFailure);
    return isJson(text) ? escapeHtml(text) : throwNoResult(text);
  }

  #step(step: StepInfo): void {
    if (this.#hookFailure !== undefined) return;
    this.#context.stepped();
    this.#steps.show(step);
    this.#run("step");
  }

  #fault(step: StepInfo, hasSteps: boolean): void {
    if (this.#hookFailure !== undefined) return;
    if (hasSteps) this.#steps.show(step);
    else this.#steps.showError(step.error);
    this.#run("fault");
  }

  /** Runs a hook; the first error ends the tracing. */
  #run(hook: Hook): void {
    this.#failure = undefined;
    this.#engine.call(hook);
    if (this.#engine.isDone) return;
    this.#hookFailure = inFunction(this.#failed(), hook);
  }

  /** Calls an entry point with a result. @throws TracerError `SCRIPT`, EvmTimeout */
  #call(entry: "create" | "result", code?: string): string {
    this.#failure = undefined;
    const text = this.#engine.call(entry, code);
    if (this.#engine.isDone) return text;
    const message = this.#failed();
    throw scriptError(entry === "create" ? message : inFunction(message, entry));
  }

  /** Error text of the last call, which did not complete. @throws EvmTimeout */
  #failed(): string {
    if (this.#shouldStop()) throw new EvmTimeout("EVM_TIMEOUT", "execution timed out");
    return this.#failure ?? this.#engine.failureText;
  }

  #answer(request: number, bytes: () => Uint8Array, text: () => string): HostResponse {
    if (request === HostRequest.fail) {
      this.#failure = text();
      return undefined;
    }
    if (request <= HostRequest.input) return this.#steps.answer(request);
    if (request <= HostRequest.contract2) return this.#state.answer(request, bytes);
    if (request <= HostRequest.exitError) return this.#frames.answer(request);
    return this.#context.answer(request);
  }
}

/** @throws TracerError `SCRIPT` with the reference node's text for a missing function */
function checkFunctions(has: ReadonlySet<string>): void {
  for (const name of ["fault", "result"])
    if (!has.has(name)) throw scriptError(`Trace object must expose a function ${name}()`);
  if (has.has("enter") !== has.has("exit"))
    throw scriptError("trace object must expose either both or none of enter() and exit()");
  if (!has.has("step") && !has.has("enter"))
    throw scriptError("trace object must expose either step() or both enter() and exit()");
}

/** Checked in the thread of the script, so that the text can be passed on unchanged. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function inFunction(message: string, name: string): string {
  return `${message}    in server-side tracer function '${name}'`;
}

function scriptError(message: string): TracerError {
  return new TracerError("SCRIPT", message);
}
