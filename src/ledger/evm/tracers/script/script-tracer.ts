import type { StateJournal } from "../../../state/journal/journal-types.ts";
import { EvmTimeout, type StepInfo, type Tracer } from "../../evm.ts";
import { TracerError, withoutResult } from "../errors.ts";
import type { TracedOutcome, TracedTransaction } from "../tracer.ts";
import { CallStack } from "./call-stack.ts";
import { ContextAnswers } from "./context-answers.ts";
import { FrameAnswers } from "./frame-answers.ts";
import { type HostAnswer, Question } from "./protocol.ts";
import type { ScriptEngine } from "./script-engine.ts";
import { StateAnswers } from "./state-answers.ts";
import { StepAnswers } from "./step-answers.ts";

/** What a script is run with. */
export interface ScriptParts {
  readonly engine: ScriptEngine;
  /** An expression whose value is an object with the functions of a tracer. */
  readonly code: string;
  /** Asked every few thousand operations of the script: whether it is to be stopped. */
  isOver(): boolean;
}

type Hook = "step" | "fault" | "enter" | "exit";

/** Watches one transaction with the caller's script. */
export interface TransactionScript {
  readonly hooks: Tracer;
  /** JSON text of what the script shows. Called once, after the transaction. @throws TracerError `SCRIPT`, `NO_RESULT`; EvmTimeout */
  resultText(outcome: TracedOutcome): string;
}

/**
 * A tracer written by the caller, for one transaction. Its hooks throw EvmTimeout when the script's time is over; an error in
 * the script ends the watching, not the transaction, and is thrown by `resultText`.
 * @throws TracerError `SCRIPT` when the code has an error or lacks a function
 */
export function scriptTracer(
  { engine, code, isOver }: ScriptParts,
  transaction: TracedTransaction,
  state: StateJournal,
): TransactionScript {
  return new ScriptTracer(engine, transaction, state, isOver).start(code);
}

class ScriptTracer implements TransactionScript {
  readonly #engine: ScriptEngine;
  readonly #isOver: () => boolean;
  readonly #calls = new CallStack();
  readonly #steps: StepAnswers;
  readonly #frames: FrameAnswers;
  readonly #state: StateAnswers;
  readonly #context: ContextAnswers;
  /** What the script said when it failed last; and the first such failure in a hook, with its name. */
  #failure: string | undefined;
  #hookFailure: string | undefined;
  hooks: Tracer = {};

  constructor(
    engine: ScriptEngine,
    transaction: TracedTransaction,
    state: StateJournal,
    isOver: () => boolean,
  ) {
    this.#engine = engine;
    this.#isOver = isOver;
    this.#steps = new StepAnswers(engine, this.#calls);
    this.#frames = new FrameAnswers(engine);
    this.#state = new StateAnswers(engine, state);
    this.#context = new ContextAnswers(transaction);
  }

  start(code: string): this {
    this.#engine.begin({
      answer: (question, bytes, text) => this.#answer(question, bytes, text),
      isOver: this.#isOver,
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
    return isJson(text) ? text : withoutResult(text);
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

  /** Runs a hook; the first error ends the watching. */
  #run(hook: Hook): void {
    this.#failure = undefined;
    this.#engine.call(hook);
    if (this.#engine.isDone) return;
    this.#hookFailure = inFunction(this.#failed(), hook);
  }

  /** Runs what has a result. @throws TracerError `SCRIPT`, EvmTimeout */
  #call(entry: "create" | "result", code?: string): string {
    this.#failure = undefined;
    const text = this.#engine.call(entry, code);
    if (this.#engine.isDone) return text;
    const message = this.#failed();
    throw scriptError(entry === "create" ? message : inFunction(message, entry));
  }

  /** Why the last call did not complete. */
  #failed(): string {
    if (this.#isOver()) throw new EvmTimeout("EVM_TIMEOUT", "execution timed out");
    return this.#failure ?? this.#engine.trouble;
  }

  #answer(question: number, bytes: () => Uint8Array, text: () => string): HostAnswer {
    if (question === Question.fail) {
      this.#failure = text();
      return undefined;
    }
    if (question <= Question.input) return this.#steps.answer(question);
    if (question <= Question.contract2) return this.#state.answer(question, bytes);
    if (question <= Question.exitError) return this.#frames.answer(question);
    return this.#context.answer(question);
  }
}

/** @throws TracerError `SCRIPT` with the reference's text for a missing function */
function checkFunctions(has: ReadonlySet<string>): void {
  for (const name of ["fault", "result"])
    if (!has.has(name)) throw scriptError(`Trace object must expose a function ${name}()`);
  if (has.has("enter") !== has.has("exit"))
    throw scriptError("trace object must expose either both or none of enter() and exit()");
  if (!has.has("step") && !has.has("enter"))
    throw scriptError("trace object must expose either step() or both enter() and exit()");
}

/** Checked where the script runs, so that the text can be handed on as it is. */
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
