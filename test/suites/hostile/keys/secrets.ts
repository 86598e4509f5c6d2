import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { occurrences } from "../../../e2e/process-memory.ts";
import { type StartedNode, startNode } from "../../../e2e/started-node.ts";
import { type HostileRow, hold, Skipped } from "../row.ts";
import { inPieces, overHttp, overIpc, overWebSocket, planted, type Reply } from "./attacked-node.ts";

/** Secrets passed to a node, and how each is used. */
interface Given {
  readonly keys: readonly Buffer[];
  readonly passphrases: readonly string[];
}

type Call = (method: string, ...params: unknown[]) => Promise<Reply>;

/** All ways to pass a secret to the node: right, wrong, rejected, replaced. */
async function useSecrets(call: Call): Promise<Given> {
  const keys = Array.from({ length: 3 }, () => randomBytes(32));
  const [first, second, failing] = keys.map((key) => key.toString("hex")) as [string, string, string];
  const [right, next, wrong] = [planted(), planted(), planted()];
  const { result: account } = await call("personal_importRawKey", first, right);
  hold(typeof account === "string", "the key was not taken");
  await call("personal_unlockAccount", account, right, 0);
  await call("eth_sign", account, "0x00");
  await call("personal_sign", "0x00", account, right);
  await call("personal_sign", "0x00", account, wrong);
  await call("personal_unlockAccount", account, wrong, 0);
  const tx = {
    from: account,
    to: account,
    value: "0x0",
    gas: "0x5208",
    gasPrice: "0x5d21dba00",
    nonce: "0x0",
  };
  await call("personal_signTransaction", tx, right);
  await call("personal_sendTransaction", tx, wrong);
  await call("personal_sendValueTransfer", tx, wrong);
  await call("personal_replaceRawKey", `${second}0x00${account}`, right, next);
  const { error } = await call("personal_importRawKey", `${failing}0x00${account}`, right);
  hold(error !== undefined, "the import that must fail succeeded");
  const { result: made } = await call("personal_newAccount", right);
  await call("personal_unlockAccount", made, right, 1);
  await call("personal_openWallet", "ledger://nothing", wrong);
  for (const address of [account, made]) await call("personal_lockAccount", address);
  return { keys, passphrases: [right, next, wrong] };
}

const callOf =
  ({ endpoints: { http } }: StartedNode): Call =>
  (method, ...params) =>
    overHttp(http, method, ...params);

/** All transports; a body in many chunks is joined. */
const WAYS: Readonly<Record<string, (node: StartedNode) => Call>> = {
  HTTP: callOf,
  "HTTP in pieces":
    ({ endpoints: { http } }) =>
    (method, ...params) =>
      inPieces(http, method, ...params),
  WebSocket:
    ({ endpoints: { ws } }) =>
    (method, ...params) =>
      overWebSocket(ws, method, ...params),
  IPC:
    ({ endpoints: { ipc } }) =>
    (method, ...params) =>
      overIpc(ipc, method, ...params),
};

async function memory(): Promise<string> {
  const node = await startNode("--lightkdf");
  try {
    const found: string[] = [];
    for (const [way, callVia] of Object.entries(WAYS)) {
      const { keys, passphrases } = await useSecrets(callVia(node));
      const texts = [...keys.map((key) => key.toString("hex")), ...passphrases];
      const forms = texts.flatMap((text) => [Buffer.from(text), Buffer.from(text, "utf16le")]);
      const counts = occurrences(node.child.pid as number, [...keys, ...forms]);
      if (counts === undefined) throw new Skipped("this user may not look into processes");
      const copies = counts.reduce((sum, count) => sum + count, 0);
      if (copies > 0) found.push(`${way} left ${copies}`);
    }
    hold(found.length === 0, `copies of secrets: ${found.join(", ")}`);
    const ways = Object.keys(WAYS);
    return `0 copies of ${3 * ways.length} keys, as bytes and as text, and of ${3 * ways.length} passphrases, over ${ways.join(", ")}`;
  } finally {
    await node.stop();
  }
}

/** The forms in which a secret might be written down. */
function formsOf(secret: Buffer | string): string[] {
  const bytes = Buffer.from(secret as string);
  const text = typeof secret === "string" ? [secret, JSON.stringify(secret).slice(1, -1)] : [];
  return [
    ...text,
    bytes.toString("hex"),
    bytes.toString("base64").replace(/=+$/, ""),
    bytes.toString("latin1"),
  ];
}

async function logs(): Promise<string> {
  const node = await startNode("--lightkdf", "--verbosity", "5");
  const commandLine = readFileSync(`/proc/${node.child.pid}/cmdline`, "utf8");
  let given: Given;
  try {
    given = await useSecrets(callOf(node));
    const ipc: Call = (method, ...params) => overIpc(node.endpoints.ipc, method, ...params);
    const more = await useSecrets(ipc);
    given = {
      keys: [...given.keys, ...more.keys],
      passphrases: [...given.passphrases, ...more.passphrases],
    };
  } finally {
    await node.stop();
  }
  const written = node.printed.stdout + node.printed.stderr + commandLine;
  const forms = [...given.keys, ...given.passphrases].flatMap(formsOf);
  const found = forms.filter((form) => written.toLowerCase().includes(form.toLowerCase()));
  hold(found.length === 0, `${found.length} secrets in ${written.length} bytes of logs`);
  return `0 of ${forms.length} forms of 12 secrets in ${Math.round(written.length / 1024)} KiB of logs at trace level`;
}

/** Methods that dump the process's memory, or open it to a debugger. */
const DUMPS: readonly (readonly [string, ...unknown[]])[] = [
  ["debug_writeMemProfile", "stolen"],
  ["debug_cpuProfile", "stolen", 1],
  ["debug_startCPUProfile", "stolen"],
  ["debug_startPProf", "127.0.0.1", 0],
];

async function dumps(): Promise<string> {
  const node = await startNode("--lightkdf");
  try {
    const { http, ws, ipc } = node.endpoints;
    const { result: account } = await overIpc(ipc, "personal_newAccount", "pw");
    await overIpc(ipc, "personal_unlockAccount", account, "pw", 0);
    for (const [method, ...params] of DUMPS) {
      for (const { error } of [
        await overHttp(http, method, ...params),
        await overWebSocket(ws, method, ...params),
      ])
        hold(error?.code === -32601, `${method}: ${JSON.stringify(error)}`);
    }
    const files = readdirSync(node.dataDir, { recursive: true }).map(String);
    hold(!files.some((name) => name.includes("stolen")), "a dump was written");
    return `${DUMPS.length} methods do not exist over HTTP and WebSocket while an account is unlocked`;
  } finally {
    await node.stop();
  }
}

export const secretRows: readonly HostileRow[] = [
  {
    id: "K5",
    promise: "keys, passphrases and the requests with them are erased from memory on locking",
    run: memory,
  },
  { id: "K6", promise: "no remote call dumps the memory of the node", run: dumps },
  { id: "K7", promise: "no secret is logged, at any level", run: logs },
];
