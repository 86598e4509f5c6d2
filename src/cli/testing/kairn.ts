import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { runCommandLine } from "../run.ts";

/** What a command that ended left behind. */
export interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command in this process, and what it has printed so far. */
export interface RunningCommand {
  readonly printed: { stdout: string; stderr: string };
  readonly ended: Promise<number>;
  /** Resolves once the standard output has this in it. @throws Error with what was printed when the command ends before */
  shows(text: string): Promise<void>;
  /** Tells this command, and nothing else of the process, to end. */
  signal(name: "SIGINT" | "SIGTERM"): void;
}

const EVENTS = ["SIGINT", "SIGTERM", "SIGHUP", "uncaughtException", "unhandledRejection"] as const;

/** Starts `kairn` in this process; what it listens to of the process is given up when it ends. */
export function startKairn(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): RunningCommand {
  const printed = { stdout: "", stderr: "" };
  const waiting = new Set<() => void>();
  const stream = (name: "stdout" | "stderr") => {
    const write = (text: string): boolean => {
      printed[name] += text;
      for (const look of waiting) look();
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
        const look = (): void => {
          if (printed.stdout.includes(text)) resolve();
        };
        waiting.add(look);
        ended.then(() => reject(new Error(`it ended: ${printed.stderr}`)), reject);
        look();
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

/** A folder that is gone when the test is over. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "kairn-cli-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
