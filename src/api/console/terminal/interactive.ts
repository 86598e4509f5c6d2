import { createInterface, type Interface } from "node:readline";
import type { EvaluationOutcome } from "../bridge.ts";
import type { Evaluator } from "../evaluator.ts";
import { syntaxErrorOf } from "./compile.ts";
import type { InputHistory } from "./history.ts";
import type { Keyboard } from "./keyboard.ts";
import { isIncomplete } from "./source.ts";

const PROMPT = "> ";
const CONTINUATION = "... ";

/** The input and output of a console. */
export interface ConsoleParts {
  readonly evaluator: Pick<Evaluator, "evaluate" | "complete" | "interrupt">;
  readonly keyboard: Keyboard;
  readonly output: NodeJS.WritableStream;
  readonly history: InputHistory;
}

/** The read-eval-print loop. Without a terminal: no prompt, one result after the other. */
export function runInteractive({ evaluator, keyboard, output, history }: ConsoleParts): Promise<void> {
  let statement = "";
  let running: Promise<void> = Promise.resolve();
  const editor = createInterface({
    input: keyboard.lines,
    output,
    terminal: keyboard.isTerminal,
    prompt: keyboard.isTerminal ? PROMPT : "",
    history: history.read(),
    historySize: 1000,
    removeHistoryDuplicates: true,
    completer: (line: string, done: (error: null, result: [string[], string]) => void) =>
      void evaluator.complete(line).then(({ names, word }) => done(null, [[...names], word])),
  });
  const ask = (prompt: string): void => {
    editor.setPrompt(keyboard.isTerminal ? prompt : "");
    editor.prompt();
  };
  const run = async (source: string): Promise<void> => {
    const release = keyboard.hold(() => evaluator.interrupt());
    const { text, hint }: EvaluationOutcome = await evaluator.evaluate(source);
    output.write(`${text}\n${hint === undefined ? "" : `${hint}\n`}`);
    ask(PROMPT);
    release();
  };
  const onLine = (line: string): void => {
    const source = statement + line;
    if (/^\s*(exit|quit)(\(\))?\s*;*\s*$/.test(source)) {
      editor.close();
      return;
    }
    const error = syntaxErrorOf(source);
    const isOpen = error !== undefined && isIncomplete(source, error);
    statement = isOpen ? `${source}\n` : "";
    if (isOpen || source.trim() === "") ask(isOpen ? CONTINUATION : PROMPT);
    else running = running.then(() => run(source));
  };
  editor.on("history", (lines: string[]) => history.take(lines, statement));
  editor.on("line", onLine);
  editor.on("SIGINT", () => {
    output.write(`\n${editor.line === "" && statement === "" ? "(Ctrl-D or exit quits)\n" : ""}`);
    statement = "";
    dropLine(editor);
    ask(PROMPT);
  });
  ask(PROMPT);
  return new Promise((resolve) => editor.once("close", () => void running.then(resolve)));
}

/** Discards the current line, leaving it on the screen. */
function dropLine(editor: Interface): void {
  Object.assign(editor, { line: "", cursor: 0 });
}
