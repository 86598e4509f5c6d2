import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../e2e/free-port.ts";
import { rpcCall } from "../e2e/json-rpc.ts";

const PROGRAM = fileURLToPath(new URL("../../bin/kairn", import.meta.url));
const STOP_MS = 20_000;
const READY_MS = 60_000;
/** Node.js flags that write a CPU profile of each kairn node into the folder `KAIRN_PROFILE`. */
const profiling = process.env["KAIRN_PROFILE"]
  ? ["--cpu-prof", "--cpu-prof-dir", process.env["KAIRN_PROFILE"]]
  : [];
const MODULES = "eth,admin,debug,kaia,net,txpool,istanbul,governance";

/** The program of a node: this project's, or the reference's, optionally with a second channel for transactions. */
export type Kind = "kairn" | "go" | "go-multichannel";
/** The type of a node: consensus node, proxy, endpoint. */
export type Role = "cn" | "pn" | "en";

/** Settings of a node. */
export interface NodeSettings {
  readonly kind: Kind;
  readonly role: Role;
  /** Used for its folder and in messages. */
  readonly name: string;
  /** Folder of all nodes of a scene. */
  readonly folder: string;
  readonly genesisFile: string;
  readonly networkId: number;
  /** Private key, 64 hex digits. */
  readonly key: string;
  /** `kni://` URLs of static peers. */
  readonly peers?: readonly string[];
  /** `kni://` URLs of bootnodes; without one the node does not use discovery. */
  readonly bootnodes?: readonly string[];
  /** Types that it discovers. */
  readonly discovers?: string;
  /** Gzipped export of blocks imported before the start. */
  readonly chain?: string | undefined;
  /** Port for peers; absent = any free one. */
  readonly port?: number;
  /** Further arguments. */
  readonly more?: readonly string[];
}

/** A node of a scene: a process with an HTTP interface. */
export interface NetworkNode {
  readonly kind: Kind;
  readonly role: Role;
  readonly name: string;
  readonly pid: number;
  /** URL for peers. */
  readonly url: string;
  readonly rpcUrl: string;
  readonly settings: NodeSettings;
  // biome-ignore lint/suspicious/noExplicitAny: responses have any shape
  call<T = any>(method: string, ...params: unknown[]): Promise<T>;
  height(): Promise<number>;
  /** Stops it cleanly. */
  stop(): Promise<void>;
  /** Kills it. */
  kill(): Promise<void>;
}

/** Folder of the reference's programs; undefined if not available. */
export const goFolder: string | undefined = folderOfGo();

function folderOfGo(): string | undefined {
  const folder = process.env["KAIA_BIN"];
  if (folder === undefined || folder === "") return undefined;
  if (!existsSync(join(folder, "kcn"))) throw new Error(`KAIA_BIN: there is no kcn in ${folder}`);
  return folder;
}

/** Starts a node on a new folder, or again on its previous one, and waits until it responds. */
export async function startNode(settings: NodeSettings): Promise<NetworkNode> {
  const { kind, role, name, folder, networkId } = settings;
  const dataDir = join(folder, name);
  if (!existsSync(dataDir)) await prepare(settings, dataDir);
  const peers = JSON.stringify(settings.peers ?? []);
  const own = kind === "kairn" ? dataDir : join(dataDir, "klay");
  writeFileSync(join(own, "static-nodes.json"), peers);
  const [port, rpcPort] = [settings.port ?? (await freePort()), await freePort()];
  const shared = [
    ...["--datadir", dataDir, "--networkid", String(networkId), "--port", String(port)],
    ...["--netrestrict", "127.0.0.0/8", "--nat", kind === "kairn" ? "none" : "extip:127.0.0.1"],
    ...["--rpc", "--rpcport", String(rpcPort), "--rpcaddr", "127.0.0.1", "--rpcapi", MODULES],
    "--txpool.allow-local-anchortx",
    ...(settings.bootnodes ? ["--bootnodes", settings.bootnodes.join(",")] : ["--nodiscover"]),
    ...(settings.discovers ? ["--discover-types", settings.discovers] : []),
    ...(settings.more ?? []),
  ];
  const child =
    kind === "kairn"
      ? run(
          [
            process.execPath,
            ...profiling,
            PROGRAM,
            "node",
            ...shared,
            "--nodetype",
            role,
            "--nodekey",
            keyFile(dataDir),
          ],
          {
            ...{ P2P_ADDR: "127.0.0.1", log: join(folder, `${name}.log`) },
          },
        )
      : run([goProgram(role), ...shared, ...goFlags(settings), ...(await channelFlags(kind))], {
          log: join(folder, `${name}.log`),
        });
  const rpcUrl = `http://127.0.0.1:${rpcPort}`;
  try {
    await ready(child, rpcUrl, name, join(folder, `${name}.log`));
  } catch (error) {
    await end(child, "SIGKILL");
    throw error;
  }
  // biome-ignore lint/suspicious/noExplicitAny: responses have any shape
  const call = (method: string, ...params: unknown[]): Promise<any> => rpcCall(rpcUrl, method, ...params);
  const { id } = await call("admin_nodeInfo");
  return {
    ...{ kind, role, name, rpcUrl, call, pid: child.pid as number },
    settings: { ...settings, port },
    url: `kni://${id}@127.0.0.1:${port}?discport=0`.replace(settings.bootnodes ? "?discport=0" : "\0", ""),
    height: async () => Number(await call("eth_blockNumber")),
    stop: () => end(child, "SIGINT"),
    kill: () => end(child, "SIGKILL"),
  };
}

/** A running bootnode, of either program. */
export interface Bootnode {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a bootnode and waits until it has its port. */
export async function startBootnode(kind: Kind, folder: string, networkId: number): Promise<Bootnode> {
  const port = await freePort();
  const key = join(folder, "boot.key");
  writeFileSync(key, "b0".repeat(32), { mode: 0o600 });
  const program = kind === "kairn" ? [process.execPath, PROGRAM, "bootnode"] : [goProgram("bn")];
  const address = kind === "kairn" ? `127.0.0.1:${port}` : `:${port}`;
  const log = join(folder, "bootnode.log");
  const written = run([...program, "--nodekey", key, "--writeaddress"], { log });
  let id = "";
  written.stdout?.setEncoding("utf8").on("data", (text: string) => {
    id += text;
  });
  await once(written, "close");
  const network = ["--networkid", String(networkId), "--netrestrict", "127.0.0.0/8"];
  const child = run([...program, "--nodekey", key, "--bnaddr", address, ...network], { log });
  return {
    url: `kni://${id.trim()}@127.0.0.1:${port}?ntype=bn`,
    stop: () => end(child, "SIGINT"),
  };
}

async function prepare(settings: NodeSettings, dataDir: string): Promise<void> {
  const { kind, role, name, folder, genesisFile, key, chain } = settings;
  const log = join(folder, `${name}.log`);
  mkdirSync(join(dataDir, "klay"), { recursive: true });
  if (kind === "kairn") {
    writeFileSync(keyFile(dataDir), key, { mode: 0o600 });
    await finished(run([process.execPath, PROGRAM, "init", "--datadir", dataDir, genesisFile], { log }), log);
    if (chain === undefined) return;
    await finished(run([process.execPath, PROGRAM, "import", "--datadir", dataDir, chain], { log }), log);
    return;
  }
  writeFileSync(join(dataDir, "klay", "nodekey"), key, { mode: 0o600 });
  await finished(run([goProgram(role), "init", "--datadir", dataDir, genesisFile], { log }), log);
  if (chain === undefined) return;
  // Import as an endpoint: a validator would first seal blocks of its own.
  const taker = await startNode({ ...settings, role: "en", chain: undefined, peers: [] });
  await taker.call("admin_importChain", chain);
  await taker.stop();
}

/** An import of a whole chain is one call, which the reference aborts after half a minute. */
const LONG_TIMEOUTS = ["--rpcreadtimeout", "600", "--rpcwritetimeout", "600", "--rpcexecutiontimeout", "600"];

function goFlags({ role, kind, key }: NodeSettings): readonly string[] {
  if (kind === "kairn") return [];
  const rewards = role === "cn" ? ["--rewardbase", `0x${key.slice(0, 40)}`] : [];
  return [
    ...["--ntp.disable", "--srvtype", "http", "--ipcdisable", "--verbosity", "3"],
    ...LONG_TIMEOUTS,
    ...rewards,
  ];
}

async function channelFlags(kind: Kind): Promise<readonly string[]> {
  return kind === "go-multichannel" ? ["--multichannel", "--subport", String(await freePort())] : [];
}

function goProgram(role: Role | "bn"): string {
  if (goFolder === undefined) throw new Error("KAIA_BIN names no folder");
  return join(goFolder, `k${role}`);
}

function keyFile(dataDir: string): string {
  return join(dataDir, "nodekey");
}

/** Running processes, killed when this process exits. */
const running = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130));

interface RunOptions {
  readonly log: string;
  readonly [name: string]: string;
}

function run([program = "", ...args]: readonly string[], { log, ...env }: RunOptions): ChildProcess {
  const child = spawn(program, args, {
    env: { PATH: process.env["PATH"], HOME: "/nonexistent", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  child.once("close", () => running.delete(child));
  const out = createWriteStream(log, { flags: "a" });
  for (const stream of [child.stdout, child.stderr]) stream?.pipe(out, { end: false });
  return child;
}

/** Waits for a command. @throws Error with the end of its log if it fails */
async function finished(child: ChildProcess, log: string): Promise<void> {
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${child.spawnargs.join(" ")} ended with ${code}: ${tailOf(log)}`);
}

/** The last lines of a log. */
export function tailOf(log: string): string {
  return existsSync(log) ? readFileSync(log, "utf8").slice(-1_500) : "";
}

async function ready(child: ChildProcess, url: string, name: string, log: string): Promise<void> {
  const deadline = Date.now() + READY_MS;
  for (;;) {
    const answer = await rpcCall(url, "eth_blockNumber").catch(() => undefined);
    if (answer !== undefined) return;
    if (child.exitCode !== null) {
      throw new Error(`${name} ended with ${child.exitCode} before it responded: ${tailOf(log)}`);
    }
    if (Date.now() > deadline) throw new Error(`${name} does not respond`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, "close");
  child.kill(signal);
  const late = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
  await closed;
  clearTimeout(late);
}
