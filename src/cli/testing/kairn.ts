import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { runCommandLine } from "../run.ts";

/** The outcome of a finished command. */
export interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command running in this process, and its output so far. */
export interface RunningCommand {
  readonly printed: { stdout: string; stderr: string };
  readonly ended: Promise<number>;
  /** Resolves once the standard output contains the text. @throws Error with the output if the command ends before */
  shows(text: string): Promise<void>;
  /** Sends a signal to this command only. */
  signal(name: "SIGINT" | "SIGTERM"): void;
}

const EVENTS = ["SIGINT", "SIGTERM", "SIGHUP", "uncaughtException", "unhandledRejection"] as const;

/** Starts `kairn` in this process; its process listeners are removed when it ends. */
export function startKairn(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): RunningCommand {
  const printed = { stdout: "", stderr: "" };
  const waiting = new Set<() => void>();
  const stream = (name: "stdout" | "stderr") => {
    const write = (text: string): boolean => {
      printed[name] += text;
      for (const check of waiting) check();
      return true;
    };
    return { write, on: () => undefined } as unknown as NodeJS.WritableStream;
  };
  const before = new Map(EVENTS.map((name) => [name, process.listeners(name as "SIGINT")]));
  const added = (name: (typeof EVENTS)[number]) =>
    process.listeners(name as "SIGINT").filter((each) => !before.get(name)?.includes(each));
  const ended = runCommandLine(args, { env, stdout: stream("stdout"), stderr: stream("stderr") }).finally(
    () => {
      for (const name of EVENTS) for (const each of added(name)) process.off(name, each);
    },
  );
  return {
    ...{ printed, ended },
    shows: (text) =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          if (printed.stdout.includes(text)) resolve();
        };
        waiting.add(check);
        ended.then(() => reject(new Error(`it ended: ${printed.stderr}`)), reject);
        check();
      }),
    signal(name) {
      for (const each of added(name)) each(name);
    },
  };
}

/** Runs `kairn` in this process to its end. */
export async function kairn(
  args: readonly string[],
  env?: Readonly<Record<string, string>>,
): Promise<Finished> {
  const { ended, printed } = startKairn(args, env);
  return { code: await ended, ...printed };
}

/** A folder that is removed after the test. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "kairn-cli-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
