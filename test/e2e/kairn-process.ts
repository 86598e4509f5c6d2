import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../bin/kairn", import.meta.url));

/** What a process may be given besides its arguments. */
export interface ProcessOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Written to its standard input, which then ends. */
  readonly input?: string;
}

/** A `kairn` that was started. */
export interface KairnProcess {
  readonly child: ChildProcess;
  /** What it has printed so far. */
  readonly printed: { stdout: string; stderr: string };
  /** The first line of its standard output. @throws Error with what it said when it ends before */
  firstLine(): Promise<string>;
  /** Exit code, or null after a signal; all output was read. */
  readonly exited: Promise<number | null>;
}

/** What a command that ended left behind. */
export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts the built program, with nothing of this process's environment but where programs are. */
export function startKairn(args: readonly string[], { env = {}, input }: ProcessOptions = {}): KairnProcess {
  const child = spawn(process.execPath, [program, ...args], {
    // nodes under test let no other machine connect
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
  refused.catch(() => {}); // a node that nobody waits for may end
  return { child, printed, exited, firstLine: () => Promise.race([line, refused]) };
}

/** Runs a command to its end. */
export async function runKairn(args: readonly string[], options?: ProcessOptions): Promise<Finished> {
  const { exited, printed } = startKairn(args, options);
  return { code: await exited, ...printed };
}
