import { until } from "../../../e2e/json-rpc.ts";
import { type StartedNode, startNode } from "../../../e2e/started-node.ts";
import { heldTimes } from "../calls/held.ts";
import { type HostileRow, hold } from "../row.ts";
import { memoryOf, overHttp, overIpc, type Reply } from "./attacked-node.ts";

const UNLOCKS = 100;
const BUSY = -32005;
const OWN_CALLS = 3;
/** Maximum CPU time in milliseconds for which the main thread may be blocked; a derivation takes more than a second. */
const MAX_HELD = 100;

/** Calls that unlock keys at full cost, until all have returned. */
async function unlockAll(node: StartedNode, accounts: readonly string[]): Promise<Reply[]> {
  const address = (i: number) => accounts[i % accounts.length];
  return Promise.all(
    Array.from({ length: UNLOCKS }, (_, i) =>
      overHttp(node.endpoints.http, "personal_unlockAccount", address(i), "right", 60),
    ),
  );
}

async function flood(): Promise<string> {
  const node = await startNode();
  try {
    const { http, ipc } = node.endpoints;
    const made = Array.from({ length: 10 }, () => overIpc(ipc, "personal_newAccount", "right"));
    const accounts = (await Promise.all(made)).map(({ result }) => result as string);
    const unlocks = unlockAll(node, accounts);
    const blocks = heldTimes({ ...node, port: Number(new URL(http).port) }, unlocks);
    await new Promise((resolve) => setTimeout(resolve, 500));
    const own = await overIpc(ipc, "personal_newAccount", "owner");
    const answers = await unlocks;
    const held = await blocks;
    const busy = answers.filter(({ error }) => error?.code === BUSY).length;
    const unlocked = answers.filter(({ result }) => result === true).length;
    hold(unlocked > 0 && unlocked + busy === UNLOCKS, `${unlocked} unlocked, ${busy} busy of ${UNLOCKS}`);
    hold(typeof own.result === "string", `the owner was refused: ${JSON.stringify(own)}`);
    hold(own.ms < 30_000, `the owner waited ${Math.round(own.ms)} ms`);
    const { peak } = memoryOf(node.child.pid as number);
    hold(peak < 700, `${Math.round(peak)} MiB`);
    const longest = Math.max(...held);
    hold(longest < MAX_HELD, `the main thread was held for ${longest} ms of its time`);
    return `${unlocked} unlocked, ${busy} told busy, none false; IPC newAccount ${Math.round(own.ms)} ms; ${held.length} calls of eth_blockNumber beside, the main thread held for ${longest} ms of its time at most; peak ${Math.round(peak)} MiB`;
  } finally {
    await node.stop();
  }
}

/** Creates accounts like a client that disconnects; the owner's call is measured meanwhile. */
async function leave(): Promise<string> {
  const node = await startNode();
  try {
    const { http, ipc } = node.endpoints;
    const gone = new AbortController();
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "personal_newAccount", params: ["x"] });
    const headers = { "content-type": "application/json" };
    const calls = Array.from({ length: 400 }, () =>
      fetch(http, { method: "POST", headers, body, signal: gone.signal }).catch(() => undefined),
    );
    const count = async () => ((await overIpc(ipc, "personal_listAccounts")).result as string[]).length;
    const before = await count();
    await until(count, (accounts) => accounts > before); // one is created, the others are queued
    gone.abort();
    await Promise.all(calls);
    const own = await overIpc(ipc, "personal_newAccount", "owner");
    hold(typeof own.result === "string", `the owner was refused: ${JSON.stringify(own)}`);
    hold(own.ms < 30_000, `the owner waited ${Math.round(own.ms)} ms`);
    // Calls still in the queue would run beside these.
    for (let i = 0; i < OWN_CALLS; i++) await overIpc(ipc, "personal_newAccount", "owner");
    const files = (await count()) - before - 1 - OWN_CALLS;
    hold(files <= 4, `${files} keys were made for callers who had left`);
    return `after 400 newAccount calls that left: IPC newAccount ${Math.round(own.ms)} ms, ${files} keys made for them`;
  } finally {
    await node.stop();
  }
}

async function guess(): Promise<string> {
  const node = await startNode("--lightkdf");
  try {
    const { http, ipc } = node.endpoints;
    const { result: account } = await overIpc(ipc, "personal_newAccount", "right");
    const unlock = (passphrase: string) => overHttp(http, "personal_unlockAccount", account, passphrase, 1);
    const took: number[] = [];
    for (let i = 0; i < 7; i++) took.push((await unlock("wrong")).ms);
    for (const [i, least] of [950, 1950].entries())
      hold((took[5 + i] as number) >= least, `guess ${6 + i} took ${Math.round(took[5 + i] as number)} ms`);
    const guessing = unlock("wrong");
    const own = await overIpc(ipc, "personal_unlockAccount", account, "right", 1);
    hold(own.result === true && own.ms < 5000, `the owner waited ${Math.round(own.ms)} ms`);
    await guessing;
    const delays = took.slice(5).map((ms) => (ms / 1000).toFixed(1));
    return `guesses 6 and 7 took ${delays.join(", ")} s; the owner unlocks by IPC meanwhile in ${Math.round(own.ms)} ms`;
  } finally {
    await node.stop();
  }
}

/** An account is locked again after the time limit. */
async function timeLimits(): Promise<string> {
  const node = await startNode("--lightkdf", "--unlock.max", "1");
  try {
    const { http, ipc } = node.endpoints;
    const { result: account } = await overIpc(ipc, "personal_newAccount", "right");
    const signs = async () => (await overHttp(http, "eth_sign", account, "0x00")).error === undefined;
    for (const [call, transport] of [
      [overHttp, http],
      [overIpc, ipc],
    ] as const) {
      const { result } = await call(transport, "personal_unlockAccount", account, "right", 0);
      hold(result === true && (await signs()), "it was not unlocked");
      const isLocked = await until(async () => !(await signs()), Boolean).catch(() => false);
      hold(isLocked !== false, "it stayed unlocked beyond --unlock.max");
    }
    const { result: wrong } = await overHttp(http, "personal_unlockAccount", account, "wrong", 0);
    hold(wrong === false, `a wrong passphrase answers ${wrong}`);
    return "0 (for ever) becomes --unlock.max over HTTP and IPC; a wrong passphrase is false";
  } finally {
    await node.stop();
  }
}

export const laneRows: readonly HostileRow[] = [
  {
    id: "L8",
    promise: "100 unlock calls over HTTP delay neither the owner nor other callers",
    isLong: true,
    run: flood,
  },
  {
    id: "L8b",
    promise: "disconnected callers cost no derivation",
    run: leave,
  },
  { id: "L9", promise: "guessing is slowed down, without locking out the owner", run: guess },
  { id: "S7", promise: "accounts are unlocked for a limited time", run: timeLimits },
];
