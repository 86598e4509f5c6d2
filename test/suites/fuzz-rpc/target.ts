import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type RunningNode, startNode } from "../golden/node-process.ts";

/** Which methods are called: only those that leave the node usable, or also those that stop listeners, rewind, write files, create keys. */
export type Damage = "none" | "any";

/** Never called: intentionally slow, up to ten minutes or ten million blocks. */
const SLOW = /^debug_(cpuProfile|goTrace|blockProfile|mutexProfile)$|^(anvil|evm|hardhat)_mine$/;
/** Methods that would stop the node or its listeners. */
const RUINOUS = new RegExp(
  [
    "^admin_(start|stop|export|import|setMax)",
    "^debug_(.*[Pp]rof|.*GoTrace|setHead|write|traceChain|standardTrace|.*FromFile|setGC|verbosity|vmodule)",
    "^personal_(newAccount|importRawKey|replaceRawKey|unlockAccount|openWallet|deriveAccount)",
    "^(anvil|evm|hardhat|kairn|miner)_",
  ].join("|"),
);

/** Whether a method is called. */
export function isCalled(name: string, damage: Damage): boolean {
  return !SLOW.test(name) && (damage === "any" || !RUINOUS.test(name));
}

/** A node with a temporary folder, removed with it. */
export interface Target extends RunningNode {
  readonly dataDir: string;
}

/** Starts a node on the chain of the recordings, or a development chain, with every module on every listener. */
export async function startTarget(chain: "node" | "dev"): Promise<Target> {
  const dataDir = mkdtempSync(join(tmpdir(), "kairn-fuzz-"));
  const node = chain === "dev" ? await startDev(dataDir) : await startRecorded(dataDir);
  const stop = async (): Promise<void> => {
    await node.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  return { ...node, stop, dataDir };
}

function startRecorded(dataDir: string): Promise<RunningNode> {
  const folder = fileURLToPath(new URL("../../fixtures/golden", import.meta.url));
  // Includes what the release does not have.
  const flags = ["--signed-message-name", "Ethereum", "--rpc.unsafe-host"];
  return startNode({ folder, reference: "kaia-2.2.1", profile: "default", dataDir, flags });
}

async function startDev(dataDir: string): Promise<RunningNode> {
  const program = fileURLToPath(new URL("../../../bin/kairn", import.meta.url));
  const ports = ["--rpcport", "0", "--wsport", "0", "--rpc.unsafe-host", "--lightkdf"];
  const child = spawn(process.execPath, [program, "dev", "--json", "--datadir", dataDir, ...ports], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const line = await new Promise<string>((resolve) => {
    createInterface({ input: child.stdout }).once("line", resolve);
  });
  const { endpoints } = JSON.parse(line) as { endpoints: Record<"http" | "ws" | "ipc", string> };
  return {
    httpPort: Number(new URL(endpoints.http).port),
    wsPort: Number(new URL(endpoints.ws).port),
    ipcPath: endpoints.ipc,
    pid: child.pid as number,
    stop: () => ended(child),
  };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  const late = setTimeout(() => child.kill("SIGKILL"), 10_000);
  await gone;
  clearTimeout(late);
}
