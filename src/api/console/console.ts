import { start } from "node:repl";
import { inspect } from "node:util";
import { runInNewContext } from "node:vm";
import type { Connection } from "./connection.ts";
import { ConsoleError } from "./connection.ts";

/** Where a single evaluation writes to. */
export interface Output {
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
}

/**
 * Evaluates one expression and prints what it gives: text as it is, anything else as JavaScript.
 * @returns the exit code
 */
export async function evaluateOnce(
  connection: Connection,
  source: string,
  { stdout, stderr }: Output,
): Promise<number> {
  try {
    const value: unknown = await runInNewContext(source, await consoleScope(connection));
    stdout.write(`${typeof value === "string" ? value : shown(value)}\n`);
    return 0;
  } catch (error) {
    stderr.write(`${explained(error)}\n`);
    return 1;
  }
}

/** Reads, evaluates and prints until the user leaves. */
export async function openConsole(connection: Connection, stdout: NodeJS.WritableStream): Promise<void> {
  const scope = await consoleScope(connection);
  stdout.write(`Connected to ${connection.endpoint} (${await connection.call("web3_clientVersion", [])})\n`);
  stdout.write(`Modules: ${Object.keys(scope).join(", ")}\nCtrl-D leaves.\n`);
  const repl = start({ prompt: "> ", writer: shown });
  Object.assign(repl.context, scope);
  await new Promise<void>((resolve) => repl.once("exit", () => resolve()));
}

/** One object for each module of the node; every name on it is a method that calls the node. */
async function consoleScope(connection: Connection): Promise<Record<string, object>> {
  const modules = Object.keys((await connection.call("rpc_modules", [])) as object);
  return Object.fromEntries(modules.map((name) => [name, moduleProxy(connection, name)]));
}

function moduleProxy(connection: Connection, name: string): object {
  return new Proxy(
    {},
    {
      get: (_target, method) =>
        typeof method === "string" && method !== "then"
          ? (...params: unknown[]) => connection.call(`${name}_${method}`, params)
          : undefined,
    },
  );
}

function shown(value: unknown): string {
  return inspect(value, { depth: 8, maxArrayLength: 200, colors: false });
}

function explained(error: unknown): string {
  if (!(error instanceof ConsoleError)) return error instanceof Error ? error.message : String(error);
  const { code } = error.details;
  return code === undefined ? error.message : `${error.message} (code ${code})`;
}
