import { spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Finished, runKairn, startKairn } from "../../e2e/kairn-process.ts";
import { type StartedNode, startNode, startNodeIn, temporaryFolder } from "../../e2e/started-node.ts";
import { argumentsOf, type DeclaredMethod, methodsOf, type OpenRpcDocument } from "../fuzz-rpc/arguments.ts";
import { post, tellIpc } from "../fuzz-rpc/channels.ts";
import { Random } from "../fuzz-rpc/random.ts";
import { isCalled } from "../fuzz-rpc/target.ts";
import { hostileConsole } from "./exposure/hostile-node.ts";
import { hostileSockets } from "./exposure/hostile-sockets.ts";
import { type HostileRow, hold } from "./row.ts";

interface Answer {
  readonly result?: unknown;
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly data?: { readonly hint?: string };
  };
}

function request(method: string, params: unknown = []): string {
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
}

async function overHttp(node: StartedNode, method: string, params: unknown = []): Promise<Answer> {
  const { text } = await post(Number(new URL(node.endpoints.http).port), request(method, params));
  return JSON.parse(text) as Answer;
}

async function overIpc(node: StartedNode, method: string, params: unknown = []): Promise<Answer> {
  const [text = "{}"] = await tellIpc(node.endpoints.ipc, request(method, params));
  return JSON.parse(text) as Answer;
}

async function declared(ask: typeof overHttp, node: StartedNode): Promise<readonly DeclaredMethod[]> {
  return methodsOf((await ask(node, "rpc_discover")).result as OpenRpcDocument);
}

async function withNode<T>(flags: readonly string[], work: (node: StartedNode) => Promise<T>): Promise<T> {
  const node = await startNode(...flags);
  try {
    return await work(node);
  } finally {
    await node.stop();
  }
}

/** Addresses that a process listens on, in the kernel's hex notation. */
function listening(pid: number): readonly string[] {
  const held = new Set(readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`)));
  return ["tcp", "tcp6"].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, "utf8")
      .split("\n")
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state, , , , , , inode]) => state === "0A" && held.has(`socket:[${inode}]`))
      .map(([, local = ""]) => local.slice(0, local.indexOf(":"))),
  );
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return ""; // closed meanwhile
  }
}

async function onlyLoopback(): Promise<string> {
  const folder = temporaryFolder();
  const node = await startNodeIn(join(folder, "data"));
  try {
    const addresses = listening(node.child.pid as number);
    hold(addresses.length >= 2, "HTTP and WebSocket do not listen");
    for (const address of addresses) hold(address === "0100007F", `listens on ${address}`);
    const modes = [node.endpoints.ipc, node.dataDir].map((path) => (statSync(path).mode & 0o777).toString(8));
    hold(modes.join() === "600,700", `modes ${modes}`);
    return `${addresses.length} listeners on 127.0.0.1, socket 0600, folder 0700`;
  } finally {
    await node.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Calls every method that is not served, and the same name in an unknown module. */
function noOracle(): Promise<string> {
  return withNode(["--rpcapi", "eth,debug,net"], async (node) => {
    const served = new Set((await declared(overHttp, node)).map(({ name }) => name));
    const hidden = (await declared(overIpc, node))
      .map(({ name }) => name)
      .filter((name) => !served.has(name));
    for (const name of hidden) {
      const { code, message, data } = (await overHttp(node, name)).error ?? {};
      // HTTP carries no subscriptions of any module, known or not.
      const isEvents = /_(un)?subscribe$/.test(name);
      hold(isEvents || code === -32601, `${name}: ${code}`);
      hold(
        isEvents || message === `the method ${name} does not exist/is not available`,
        `${name}: ${message}`,
      );
      const named = /Did you mean (\S+)\?/.exec(data?.hint ?? "")?.[1];
      hold(named === undefined || served.has(named), `${name}: hint names ${named}`);
      const module = name.slice(0, name.indexOf("_"));
      if (["eth", "debug", "net", "rpc"].includes(module)) continue;
      const unknown = `${"q".repeat(module.length)}${name.slice(module.length)}`;
      const answerTo = async (asked: string) =>
        JSON.stringify(await overHttp(node, asked))
          .replace(asked, "METHOD")
          .replace(`module ${asked.slice(0, asked.indexOf("_"))} `, "module MODULE ");
      const answers = [await answerTo(name), await answerTo(unknown)];
      hold(answers[0] === answers[1], `${answers[0]} is not ${answers[1]}`);
    }
    hold(hidden.includes("debug_startPProf") && hidden.includes("personal_sign"), "too much is served");
    return `${hidden.length} methods answer as unknown ones`;
  });
}

/** Methods that affect the whole process: its memory, its log, its database. */
const OF_THE_PROCESS: readonly (readonly [string, ...unknown[]])[] = [
  ["debug_freeOSMemory"],
  ["debug_setGCPercent", 100],
  ["debug_verbosity", 3],
  ["debug_verbosityByName", "rpc", 3],
  ["debug_vmodule", "rpc=3"],
  ["debug_chaindbCompact"],
];

/** Served on loopback like in the reference; on other addresses only if explicitly enabled. */
async function processMethods(): Promise<string> {
  const safe = ["--rpcapi", "eth,debug", "--rpc.unsafe-debug.disable"];
  for (const [flags, isServed] of [
    [["--rpcapi", "eth,debug"], true],
    [safe, false],
  ] as const)
    await withNode(flags, async (node) => {
      for (const [method, ...params] of OF_THE_PROCESS) {
        const { error } = await overHttp(node, method, params);
        hold((error?.code === -32601) !== isServed, `${flags}: ${method}: ${JSON.stringify(error)}`);
        const own = await overIpc(node, method, params);
        hold(own.error === undefined, `IPC: ${method}: ${JSON.stringify(own.error)}`);
      }
    });
  const bare = ["dev", "--ephemeral", "--accounts", "0", "--rpcport", "0", "--rpcaddr", "0.0.0.0"];
  for (const module of ["debug", "miner", "personal"]) {
    const { code, stderr } = await runKairn([...bare, "--rpcapi", `eth,${module}`]);
    hold(code === 78 && stderr.includes(module), `${module} on 0.0.0.0: ${code} ${stderr}`);
  }
  return `${OF_THE_PROCESS.length} methods on loopback and IPC alone; 3 modules refused on 0.0.0.0`;
}

/** Starts that must be refused or cause a warning: where it listens, what it serves, what was allowed. */
async function undecidedStarts(): Promise<string> {
  const folder = temporaryFolder();
  const dev = ["dev", "--json", "--ephemeral", "--rpcport", "0", "--wsport", "0"];
  const bare = [...dev, "--accounts", "0", "--rpcapi", "eth,net", "--wsapi", "eth,net"];
  const open = ["--rpcaddr", "0.0.0.0"];
  const refused: readonly (readonly string[])[] = [
    [...dev, ...open],
    [...dev, "--wsaddr", "::"],
    [...dev, "--rpcaddr", "0"],
    [...dev, ...open, "--rpcapi", "eth"],
    [...bare, ...open, "--rpcapi", "eth,admin"],
    [...bare, ...open, "--rpcapi", "eth,debug"],
    [...bare, ...open, "--wsapi", "personal"],
    [...bare, ...open, "--rpc.unsafe-host"],
    ["node", "--datadir", folder, "--rpc", ...open, "--unlock", "0"],
  ];
  for (const args of refused) {
    const { code, stdout, stderr }: Finished = await runKairn(args);
    hold(code === 78 && stdout === "", `${args.join(" ")}: ${code} ${stderr}`);
    hold(/--allow-(exposed|insecure-unlock)/.test(stderr), stderr);
  }
  for (const args of [
    [...dev, ...open, "--allow-exposed"],
    [...bare, ...open],
  ]) {
    const started = startKairn(args);
    await started.firstLine();
    started.child.kill("SIGTERM");
    await started.exited;
    const isWarned = /other machines reach this node.*the development accounts.*admin/.test(
      started.printed.stderr,
    );
    hold(isWarned === args.includes("--allow-exposed"), `${args.join(" ")}: ${started.printed.stderr}`);
  }
  rmSync(folder, { recursive: true, force: true });
  return `${refused.length} starts refused with 78, with --allow-exposed a warning that names accounts and modules`;
}

/** Methods for files, listeners and code execution, over each transport. */
function noHost(): Promise<string> {
  return withNode([], async (node) => {
    const folder = join(node.dataDir, "dumps");
    const target = join(node.dataDir, "target");
    const calls: readonly (readonly [string, readonly unknown[]])[] = [
      ["debug_startPProf", ["127.0.0.1", 6061]],
      ["debug_writeMemProfile", [target]],
      ["debug_startCPUProfile", [target]],
      ["debug_startGoTrace", [target]],
      ["debug_traceBlockFromFile", ["/etc/passwd"]],
      ["admin_exportChain", [target]],
      ["admin_importChain", ["/etc/passwd"]],
      ["admin_startWS", ["0.0.0.0", 0]],
      ["admin_stopWS", []],
      ["admin_datadir", []],
    ];
    for (const [method, params] of calls)
      hold((await overHttp(node, method, params)).error?.code === -32601, `${method} answers over HTTP`);
    mkdirSync(folder, { recursive: true });
    symlinkSync(target, join(folder, "link"));
    writeFileSync(join(folder, "there"), "old");
    const names = [
      target,
      "../target",
      "link",
      "there",
      "a/b",
      ".x",
      "x\0",
      "",
      "x".repeat(300),
      `${folder}/../target`,
    ];
    for (const method of ["admin_exportChain", "debug_writeMemProfile", "debug_writeBlockProfile"])
      for (const name of names)
        hold((await overIpc(node, method, [name])).error?.code === -32000, `${method} took ${name}`);
    hold(!existsSync(target) && readFileSync(join(folder, "there"), "utf8") === "old", "a file was written");
    for (const host of ["0.0.0.0", "::", "localhost.example.org"])
      hold(
        (await overIpc(node, "debug_startPProf", [host, 6061])).error !== undefined,
        `inspector on ${host}`,
      );
    await overIpc(node, "admin_stopWS");
    hold(
      (await overIpc(node, "admin_startWS", ["0.0.0.0", 0])).error !== undefined,
      "a listener was widened",
    );
    const written = (await overIpc(node, "admin_exportChain", ["chain.rlp"])).result;
    hold(
      written === true && (statSync(join(folder, "chain.rlp")).mode & 0o777) === 0o600,
      "no file for its owner",
    );
    return `${calls.length} calls unknown over HTTP, ${names.length * 3} names refused over IPC`;
  });
}

/** Calls per method. */
const CALLS = 5;
const STACK = /\bat \S+ \(|\bat (?:async )?\/|\.[cm]?[jt]s:\d+|node:internal|node_modules/;

/** Error messages of every method called with odd arguments. */
function silentErrors(): Promise<string> {
  return withNode([], async (node) => {
    const methods = (await declared(overHttp, node)).filter(({ name }) => isCalled(name, "none"));
    const program = dirname(dirname(fileURLToPath(new URL(".", import.meta.url))));
    const secrets = [
      ...node.accounts.map(({ privateKey }) => privateKey.slice(2)),
      ...["test test test test", node.dataDir, homedir(), program, "/tmp/"],
    ].filter((secret) => secret.length > 1);
    const seed = Date.now() % 100_000;
    const random = new Random(seed);
    const texts = new Set<string>();
    for (const method of methods.flatMap((each) => Array<DeclaredMethod>(CALLS).fill(each))) {
      const { error } = await overHttp(node, method.name, argumentsOf(random, method));
      if (error === undefined) continue;
      const text = JSON.stringify(error);
      texts.add(error.message);
      hold(error.code !== -32603, `${method.name}: ${text}, seed ${seed}`);
      hold(!STACK.test(text), `${method.name}: a stack in ${text}, seed ${seed}`);
      for (const secret of secrets)
        hold(!text.includes(secret), `${method.name}: ${secret} in ${text}, seed ${seed}`);
    }
    return `${methods.length * CALLS} calls of ${methods.length} methods, ${texts.size} texts of errors, seed ${seed}`;
  });
}

function fuzz(flags: readonly string[]): Promise<string> {
  const suite = fileURLToPath(new URL("../fuzz-rpc.ts", import.meta.url));
  const args = ["--import", "tsx", suite, "--seed", String(Date.now() % 100_000), ...flags];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  return new Promise((resolve, reject) => {
    child.once("close", (code) => {
      if (code === 0) resolve(said.trim().split("\n").at(-1) ?? "");
      else reject(new Error(said));
    });
  });
}

/** Exposure of methods: who may call what, and what errors reveal. */
export const exposureRows: readonly HostileRow[] = [
  { id: "S1", promise: "listens on loopback only", run: onlyLoopback },
  { id: "S5", promise: "methods that are not served look like unknown methods", run: noOracle },
  {
    id: "S6p",
    promise: "methods that affect the whole process are closed to other machines unless enabled",
    run: processMethods,
  },
  { id: "S6", promise: "opens nothing to other machines without an explicit decision", run: undecidedStarts },
  { id: "S10", promise: "errors reveal no stack, path or secret", run: silentErrors },
  { id: "X1", promise: "no access to files, listeners or code execution over RPC", run: noHost },
  {
    id: "X2",
    promise: "the console escapes and bounds everything from a node",
    run: () => hostileConsole(false),
  },
  {
    id: "X2l",
    promise: "the same, all cases",
    isLong: true,
    run: () => hostileConsole(true),
  },
  {
    id: "X3l",
    promise: "the same over WebSocket and IPC: messages, frames and handshakes",
    isLong: true,
    run: hostileSockets,
  },
  {
    id: "F3",
    promise: "odd calls of every method get well-formed responses, none of them internal errors",
    run: () => fuzz(["--inputs", "1000", "--chain", "dev", "--damage", "any"]),
  },
  {
    id: "F3l",
    promise: "the same, 100,000 times over all transports",
    isLong: true,
    run: () => fuzz(["--inputs", "100000", "--chain", "dev"]),
  },
];
