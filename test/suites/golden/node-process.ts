import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { postJson } from "./http.ts";

/** A node under test. */
export interface RunningNode {
  readonly httpPort: number;
  readonly wsPort: number;
  readonly ipcPath: string;
  /** Process id. */
  readonly pid: number;
  stop(): Promise<void>;
}

interface Start {
  readonly folder: string;
  readonly reference: string;
  readonly profile: string;
  readonly dataDir: string;
  /** Flags instead of those that imitate the reference. */
  readonly flags?: readonly string[];
}

const START_TIMEOUT_MS = 30_000;
const root = fileURLToPath(new URL("../../..", import.meta.url));

/** The program in `KAIRN_PROGRAM`, else the built one, else the source. */
function program(): string[] {
  const named = process.env["KAIRN_PROGRAM"];
  if (named !== undefined) return [process.execPath, named];
  if (existsSync(join(root, "dist/program.cjs"))) return [process.execPath, join(root, "bin/kairn")];
  return [process.execPath, "--import", "tsx", join(root, "src/cli/main.ts")];
}

/** The flags of a recording's profile. */
function profileFlags({ profile, reference, folder }: Start): string[] {
  const chain = chainModule(reference);
  const all = `admin,debug,eth,governance,${chain},miner,net,personal,rpc,txpool,web3`;
  const modules = profile === "limited" ? `${chain},net` : all;
  const open = profile === "limited" ? [] : ["--rpccorsdomain", "*", "--rpcvhosts", "*"];
  const nodekey = profile === "no-mining" ? [] : ["--nodekey", join(folder, "genesis/nodekey")];
  const metrics = ["metrics", "unsafe-debug-disabled"].includes(profile) ? ["--metrics"] : [];
  const unsafe = profile === "unsafe-debug-disabled" ? ["--rpc.unsafe-debug.disable"] : [];
  return ["--rpcapi", modules, "--wsapi", modules, ...open, ...nodekey, ...metrics, ...unsafe];
}

function chainModule(reference: string): "klay" | "kaia" {
  return reference.startsWith("klaytn") ? "klay" : "kaia";
}

/** Flags that imitate a reference: its names, and nothing else. */
function referenceFlags(reference: string): string[] {
  return reference.startsWith("klaytn") ? ["--compat", "klaytn", "--unit", "peb"] : ["--compat", "kaia"];
}

/** The command lines of one run: the genesis block, then the node. */
function commands(start: Start, ipcPath: string): [string[], string[]] {
  const { folder, reference, dataDir } = start;
  const init = ["init", "--datadir", dataDir, join(folder, "genesis", `${reference}.json`)];
  const node = [
    ...["node", "--datadir", dataDir, "--networkid", "940625", "--lightkdf", "--ipcpath", ipcPath],
    ...["--rpc", "--rpcaddr", "127.0.0.1", "--rpcport", "0"],
    ...["--ws", "--wsaddr", "127.0.0.1", "--wsport", "0", "--wsorigins", "*"],
    ...["--txpool.allow-local-anchortx", "--gcmode", "archive", "--sendertxhashindexing"],
    ...profileFlags(start),
    ...(start.flags ?? referenceFlags(reference)),
    ...(process.env["KAIRN_GOLDEN_FLAGS"]?.split(" ") ?? []),
  ];
  return [init, node];
}

/**
 * Starts a fresh node and waits until it has sealed a block, if it seals any. A node that fails to is stopped.
 * @throws Error with its output
 */
export async function startNode(start: Start): Promise<RunningNode> {
  const ipcPath = join(start.dataDir, "klay.ipc");
  const [init, node] = commands(start, ipcPath);
  const [executable, ...before] = program() as [string, ...string[]];
  execFileSync(executable, [...before, ...init], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  const child = spawn(executable, [...before, ...node], { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  try {
    const ports = await untilReady(child, start);
    return {
      httpPort: ports.http,
      wsPort: ports.ws,
      ipcPath,
      pid: child.pid as number,
      stop: () => stop(child),
    };
  } catch (error) {
    await stop(child);
    throw error;
  }
}

interface Ports {
  readonly http: number;
  readonly ws: number;
}

async function untilReady(child: ChildProcess, { profile, reference }: Start): Promise<Ports> {
  const ports = await untilListening(child, collectOutput(child));
  if (profile !== "no-mining") await untilSealing(ports.http, chainModule(reference));
  return ports;
}

function collectOutput(child: ChildProcess): () => string {
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => {
      text = (text + chunk.toString()).slice(-4000);
    });
  return () => text;
}

/** The ports assigned to the node, from its first line. */
async function untilListening(child: ChildProcess, printed: () => string): Promise<Ports> {
  const end = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    const [, http, ws] = /http:\/\/127\.0\.0\.1:(\d+), ws:\/\/127\.0\.0\.1:(\d+)/.exec(printed()) ?? [];
    if (http !== undefined && ws !== undefined) return { http: Number(http), ws: Number(ws) };
    if (hasEnded(child))
      throw new Error(`node exited with ${child.exitCode ?? child.signalCode}:\n${printed()}`);
    if (Date.now() > end) throw new Error(`node is not listening:\n${printed()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The recorded nodes had run for a while: some cases name block 1. @throws Error if no block is sealed in time */
async function untilSealing(port: number, module: string): Promise<void> {
  const end = Date.now() + START_TIMEOUT_MS;
  const request = `{"jsonrpc":"2.0","id":1,"method":"${module}_blockNumber"}`;
  for (;;) {
    const { result } = ((await postJson(port, request)) ?? {}) as { result?: string };
    if (result !== undefined && BigInt(result) > 0n) return;
    if (Date.now() > end) throw new Error("node seals no block");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

async function stop(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  const late = setTimeout(() => child.kill("SIGKILL"), 10_000);
  await ended;
  clearTimeout(late);
}
