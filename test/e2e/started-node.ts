import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type KairnProcess, startKairn } from "./kairn-process.ts";

/** What `kairn dev --json` prints once it is ready. */
interface Banner {
  readonly chainId: number;
  readonly genesisHash: `0x${string}`;
  readonly blockNumber: number;
  readonly endpoints: { readonly http: string; readonly ws: string; readonly ipc: string };
  readonly accounts: readonly { readonly address: `0x${string}`; readonly privateKey: `0x${string}` }[];
}

/** A development node as a user starts it: in its own process, on free ports and a new folder. */
export interface StartedNode extends Banner, Pick<KairnProcess, "child" | "exited" | "printed"> {
  readonly dataDir: string;
  /** Ctrl-C; the folder is removed. @returns the exit code */
  stop(): Promise<number | null>;
}

/** Starts `kairn dev` on a new folder and waits for its banner. */
export async function startNode(...flags: string[]): Promise<StartedNode> {
  const dataDir = temporaryFolder();
  try {
    return await startNodeIn(dataDir, ...flags);
  } catch (error) {
    rmSync(dataDir, { recursive: true });
    throw error;
  }
}

/** Starts `kairn dev` on a folder and waits for its banner. */
export async function startNodeIn(dataDir: string, ...flags: string[]): Promise<StartedNode> {
  const ports = ["--rpcport", "0", "--wsport", "0"];
  const started = startKairn(["dev", "--json", "--quiet", "--datadir", dataDir, ...ports, ...flags]);
  const banner = JSON.parse(await started.firstLine()) as Banner;
  return {
    ...banner,
    ...started,
    dataDir,
    async stop() {
      started.child.kill("SIGINT");
      const code = await started.exited;
      rmSync(dataDir, { recursive: true, force: true });
      return code;
    },
  };
}

/** A new folder for one test. */
export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), "kairn-e2e-"));
}
