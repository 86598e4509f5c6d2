import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../bin/kairn", import.meta.url));

/** Options of a process besides its arguments. */
export interface ProcessOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Written to its standard input, which is then closed. */
  readonly input?: string;
}

/** A running `kairn`. */
export interface KairnProcess {
  readonly child: ChildProcess;
  /** Its output so far. */
  readonly printed: { stdout: string; stderr: string };
  /** The first line of its standard output. @throws Error with its output if it exits before */
  firstLine(): Promise<string>;
  /** Exit code, or null after a signal; all output has been read. */
  readonly exited: Promise<number | null>;
}

/** The result of a finished command. */
export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts the built program, with only PATH from this process's environment. */
export function startKairn(args: readonly string[], { env = {}, input }: ProcessOptions = {}): KairnProcess {
  const child = spawn(process.execPath, [program, ...args], {
    // nodes under test do not accept connections from other machines
    env: {
      ...{ PATH: process.env["PATH"], HOME: "/nonexistent" },
      ...(args[0] === "node" && { P2P_ADDR: "127.0.0.1" }),
      ...env,
    },
    stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
  });
  child.stdin?.end(input);
  const printed = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      printed[name] += text;
    });
  }
  const exited = once(child, "close").then(([code]) => code as number | null);
  const line = new Promise<string>((resolve) => {
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).once("line", resolve);
  });
  const refused = exited.then((code) => {
    throw new Error(`kairn ${args[0]} ended with ${code} before it was ready: ${printed.stderr}`);
  });
  refused.catch(() => {}); // the exit of a node that is not awaited is no error
  return { child, printed, exited, firstLine: () => Promise.race([line, refused]) };
}

/** Runs a command to completion. */
export async function runKairn(args: readonly string[], options?: ProcessOptions): Promise<Finished> {
  const { exited, printed } = startKairn(args, options);
  return { code: await exited, ...printed };
}
