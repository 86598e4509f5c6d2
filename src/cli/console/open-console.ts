import { join, resolve } from "node:path";
import type { SendRequest } from "../../api/client/client.ts";
import { runConsole } from "../../api/console/console.ts";
import type { OptionValues } from "../../platform/config/option.ts";
import type { Terminal } from "../command.ts";
import { ExitCode } from "../exit-codes.ts";
import type { consoleOptions } from "./console-options.ts";

/** The node that a console connects to, and what to run there. */
export interface ConsoleTarget {
  readonly request: SendRequest;
  /** How the user named the node. */
  readonly endpoint: string;
  /** Folder that keeps the history. */
  readonly dataDir: string;
  readonly scripts: readonly string[];
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Runs a console on this process' terminal until the user or a signal ends it. @returns the exit code */
export async function openConsole(
  { request, endpoint, dataDir, scripts }: ConsoleTarget,
  { exec, preload, scriptFolder }: OptionValues<typeof consoleOptions>,
  { env, stdout, stderr }: Terminal,
): Promise<number> {
  const left = new AbortController();
  let isInterrupted = false;
  const leave = (signal: NodeJS.Signals): void => {
    isInterrupted = signal === "SIGINT";
    left.abort();
  };
  for (const name of SIGNALS) process.once(name, leave);
  const code = await runConsole({
    request,
    endpoint,
    stdin: process.stdin,
    stdout,
    stderr,
    colors: stdout.isTTY === true && env["NO_COLOR"] === undefined,
    historyFile: join(dataDir, "history"),
    scriptFolder: resolve(scriptFolder),
    preload,
    scripts,
    exec,
    signal: left.signal,
  });
  for (const name of SIGNALS) process.off(name, leave);
  return isInterrupted ? ExitCode.interrupted : code;
}

/** Splits positional arguments: names of scripts end in `.js`, anything else is an endpoint. */
export function splitPositionals(positionals: readonly string[]): {
  readonly scripts: readonly string[];
  readonly others: readonly string[];
} {
  const isScript = (text: string) => /\.[cm]?js$/.test(text);
  return {
    scripts: positionals.filter(isScript),
    others: positionals.filter((text) => !isScript(text)),
  };
}
