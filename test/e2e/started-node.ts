import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../bin/kairn", import.meta.url));

/** What `kairn dev --json` prints once it is ready. */
export interface Banner {
  readonly chainId: number;
  readonly endpoints: { readonly http: string; readonly ws: string; readonly ipc: string };
  readonly accounts: readonly { readonly address: `0x${string}`; readonly privateKey: `0x${string}` }[];
}

/** A node as its user starts it: a process of its own on free ports and a folder of its own. */
export interface StartedNode extends Banner {
  readonly dataDir: string;
  readonly process: ChildProcess;
  /** Ctrl-C, and the folder is removed. @returns the exit code */
  stop(): Promise<number | null>;
}

/** Starts `kairn dev` and waits for its banner. */
export async function startNode(...flags: string[]): Promise<StartedNode> {
  const dataDir = mkdtempSync(join(tmpdir(), "kairn-e2e-"));
  const ports = ["--rpcport", "0", "--wsport", "0"];
  const child = spawn(
    process.execPath,
    [program, "dev", "--json", "--datadir", dataDir, ...ports, ...flags],
    {
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const banner = await readBanner(child);
  return {
    ...banner,
    dataDir,
    process: child,
    async stop() {
      child.kill("SIGINT");
      const code = await exited;
      rmSync(dataDir, { recursive: true, force: true });
      return code;
    },
  };
}

function readBanner(child: ChildProcess): Promise<Banner> {
  let errors = "";
  child.stderr?.on("data", (chunk) => {
    errors += chunk;
  });
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).once("line", (line) =>
      resolve(JSON.parse(line)),
    );
    child.once("exit", (code) =>
      reject(new Error(`kairn ended with ${code} before it was ready: ${errors}`)),
    );
  });
}
