import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { NodeError } from "../protocol/primitives/errors.ts";
import type { Terminal } from "./command.ts";

/** Environment variable of the subprocess that reads a database. */
const INNER = "KAIRN_SUBPROCESS";

/** Its value when the subprocess's output is shown in a terminal; the number of columns follows. */
const TERMINAL = "terminal:";

/** Signals that end a command and its subprocess. */
const ENDINGS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The subprocess's standard error, a pipe, treated as the terminal it may be shown in. */
export function parentTerminal(stderr: Terminal["stderr"], env: Terminal["env"]): Terminal["stderr"] {
  const { [INNER]: value = "" } = env;
  if (!value.startsWith(TERMINAL)) return stderr;
  return Object.assign(stderr, { isTTY: true, columns: Number(value.slice(TERMINAL.length)) });
}

/** Whether this process is the subprocess. */
export function isSubprocess(env: Terminal["env"]): boolean {
  return env[INNER] !== undefined;
}

/** A command that reads the database of a data folder. */
export interface SubprocessCommand extends Terminal {
  readonly program: string;
  /** The command, such as `db check`, with its positional arguments. */
  readonly words: readonly string[];
  readonly folder: string;
  readonly isQuiet: boolean;
}

/**
 * Runs a command that reads a data folder in a separate process, since touching pages of a damaged file can kill it.
 * @returns its exit code
 * @throws NodeError `DATABASE_DAMAGED`
 */
export async function runInSubprocess(command: SubprocessCommand): Promise<number> {
  const { program, words, folder, env, stdout, stderr, isQuiet } = command;
  const child = spawn(
    process.execPath,
    [program, ...words, "--datadir", folder, ...(isQuiet ? ["--quiet"] : [])],
    {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...env, [INNER]: stderr.isTTY ? `${TERMINAL}${stderr.columns ?? 0}` : "1" },
    },
  );
  child.stdout.on("data", (bytes: Buffer) => stdout.write(bytes));
  child.stderr.on("data", (bytes: Buffer) => stderr.write(bytes));
  const [code, signal] = await endOf(child);
  if (code !== null) return code;
  const file = join(folder, "chaindata", "store.mdb");
  throw new NodeError("DATABASE_DAMAGED", `${file} is damaged: reading it ended the process (${signal})`);
}

/** Waits for the subprocess; a signal to this process ends it first. */
async function endOf(child: ChildProcess): Promise<[code: number | null, signal: string | null]> {
  let ending: NodeJS.Signals | undefined;
  const end = (name: NodeJS.Signals): void => {
    ending = name;
    child.kill(name);
  };
  for (const name of ENDINGS) process.on(name, end);
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  for (const name of ENDINGS) process.off(name, end);
  if (ending !== undefined) process.kill(process.pid, ending);
  return [code, signal];
}
