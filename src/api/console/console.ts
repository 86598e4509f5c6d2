import { resolve } from "node:path";
import { LARGE_FILE, readTextWithin } from "../../platform/intake/read-file.ts";
import { visibleLine } from "../../protocol/primitives/visible.ts";
import type { SendRequest } from "../client/client.ts";
import { createEvaluator, type Evaluator } from "./evaluator.ts";
import { InputHistory } from "./terminal/history.ts";
import { runInteractive } from "./terminal/interactive.ts";
import { Keyboard, type KeyboardInput } from "./terminal/keyboard.ts";
import { withTimeout } from "./with-timeout.ts";

/** Maximum characters of a node's description of itself. */
const MAX_LINE_LENGTH = 2000;

/** What a console is built from. */
export interface ConsoleOptions {
  /** Calls the node. */
  readonly request: SendRequest;
  readonly stdin: KeyboardInput;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
  readonly colors: boolean;
  readonly historyFile: string;
  /** Folder of scripts given without a path. */
  readonly scriptFolder: string;
  /** Scripts that run before anything else. */
  readonly preload: readonly string[];
  /** Scripts to run instead of an interactive session. */
  readonly scripts: readonly string[];
  /** A text to evaluate instead of an interactive session. */
  readonly exec?: string | undefined;
  /** Address of the node, shown in the greeting. */
  readonly endpoint: string;
  /** Ends the console: running code is stopped, nothing more is read. */
  readonly signal: AbortSignal;
}

/**
 * Runs a console: preloaded scripts, then scripts or one text, or else an interactive session.
 * @returns the exit code: 0, 1 when a script or the text failed, 130 when it was interrupted
 */
export async function runConsole(options: ConsoleOptions): Promise<number> {
  const { request, stdout, stdin, colors, scriptFolder } = options;
  const keyboard = new Keyboard(stdin, stdout);
  const parts = {
    request,
    colors,
    scriptFolder,
    askSecret: (question: string, signal: AbortSignal) => keyboard.ask(question, signal),
    print: (text: string) => void stdout.write(text),
  };
  try {
    const { evaluator, modules } = await createEvaluator(parts);
    const leave = (): void => {
      keyboard.leave();
      evaluator.interrupt();
    };
    options.signal.addEventListener("abort", leave);
    try {
      return await run(options, { evaluator, keyboard, modules });
    } finally {
      options.signal.removeEventListener("abort", leave);
      await evaluator.close();
    }
  } finally {
    keyboard.close();
  }
}

interface Running {
  readonly evaluator: Evaluator;
  readonly keyboard: Keyboard;
  readonly modules: Readonly<Record<string, string>>;
}

async function run(options: ConsoleOptions, { evaluator, keyboard, modules }: Running): Promise<number> {
  const { stdout, preload, scripts, exec, historyFile, signal } = options;
  let isInterrupted = false;
  const release = keyboard.hold(() => {
    isInterrupted = true;
    evaluator.interrupt();
  });
  const isBatch = exec !== undefined || scripts.length > 0;
  if (!(await runScripts([...preload, ...scripts], options, evaluator)) && isBatch)
    return isInterrupted || signal.aborted ? 130 : 1;
  if (exec !== undefined) {
    const { text, failed, hint } = await evaluator.evaluate(exec);
    (failed ? options.stderr : stdout).write(`${text}\n`);
    if (hint !== undefined) options.stderr.write(`${hint}\n`);
    if (failed) return isInterrupted || signal.aborted ? 130 : 1;
  }
  if (isBatch) return 0;
  release();
  if (keyboard.isTerminal) stdout.write(await welcome(options, modules));
  await runInteractive({ evaluator, keyboard, output: stdout, history: new InputHistory(historyFile) });
  if (keyboard.isTerminal) stdout.write("\n");
  return 0;
}

/** Runs files in order up to the first that fails. @returns whether all succeeded */
async function runScripts(
  names: readonly string[],
  { scriptFolder, stderr }: ConsoleOptions,
  evaluator: Evaluator,
): Promise<boolean> {
  for (const name of names) {
    const file = resolve(scriptFolder, name);
    const { text, failed } = await evaluator.evaluate(readTextWithin(file, LARGE_FILE), file);
    if (!failed) continue;
    stderr.write(`${text}\n`);
    return false;
  }
  return true;
}

async function welcome(
  { request, endpoint }: ConsoleOptions,
  modules: Readonly<Record<string, string>>,
): Promise<string> {
  const version = await withTimeout(request("web3_clientVersion", [])).catch(() => "unknown");
  const folder = await withTimeout(request("admin_datadir", [])).catch(() => undefined);
  const list = Object.keys(modules)
    .sort()
    .map((name) => `${name}:${modules[name]}`);
  return [
    "Welcome to the kairn JavaScript console!",
    "",
    `instance: ${headline(version)}`,
    folder === undefined ? `endpoint: ${headline(endpoint)}` : ` datadir: ${headline(folder)}`,
    ` modules: ${headline(list.join(" "))}`,
    "",
    "help lists what is available; Tab completes; Ctrl-D or exit quits.",
    "",
  ].join("\n");
}

/** A node's description of itself, as one line of bounded length. */
function headline(said: unknown): string {
  const text = typeof said === "string" ? said : (JSON.stringify(said) ?? "");
  return visibleLine(text.slice(0, MAX_LINE_LENGTH));
}
