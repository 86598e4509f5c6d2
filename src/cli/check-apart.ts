import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { NodeError } from "../protocol/primitives/errors.ts";
import type { Terminal } from "./command.ts";

/** Set for the process in which a database is checked. */
const INNER = "KAIRN_DB_CHECK";

/** Its value when that process's output is shown in a terminal; the number of columns follows. */
const TERMINAL = "terminal:";

/** The standard error of that process, a pipe, treated as the terminal it may be shown in. */
export function shownThrough(stderr: Terminal["stderr"], env: Terminal["env"]): Terminal["stderr"] {
  const { [INNER]: value = "" } = env;
  if (!value.startsWith(TERMINAL)) return stderr;
  return Object.assign(stderr, { isTTY: true, columns: Number(value.slice(TERMINAL.length)) });
}

/** Whether this is that process. */
export function isCheckedApart(env: Terminal["env"]): boolean {
  return env[INNER] !== undefined;
}

/**
 * Checks the chain of a data folder in a separate process, since touching pages of a damaged file can kill it.
 * @returns its exit code
 * @throws NodeError `DATABASE_DAMAGED`
 */
export async function checkApart({
  program,
  folder,
  env,
  stdout,
  stderr,
  isQuiet,
}: Terminal & {
  readonly program: string;
  readonly folder: string;
  readonly isQuiet: boolean;
}): Promise<number> {
  const child = spawn(
    process.execPath,
    [program, "db", "check", "--datadir", folder, ...(isQuiet ? ["--quiet"] : [])],
    {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...env, [INNER]: stderr.isTTY ? `${TERMINAL}${stderr.columns ?? 0}` : "1" },
    },
  );
  child.stdout.on("data", (bytes: Buffer) => stdout.write(bytes));
  child.stderr.on("data", (bytes: Buffer) => stderr.write(bytes));
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  if (code !== null) return code;
  const file = join(folder, "chaindata", "store.mdb");
  throw new NodeError("DATABASE_DAMAGED", `${file} is damaged: reading it ended the process (${signal})`);
}
