import { until } from "../../../e2e/json-rpc.ts";
import { type StartedNode, startNode } from "../../../e2e/started-node.ts";
import { heldTimes } from "../calls/held.ts";
import { type HostileRow, hold } from "../row.ts";
import { overHttp, overIpc, peakOfTreeWhile, type Reply } from "./attacked-node.ts";

const UNLOCKS = 100;
const BUSY = -32005;
const OWN_CALLS = 3;
/** Unlocks over HTTP that may finish while the owner's key is being derived: they run one at a time. */
const MAX_OVERTAKING = 4;
/** Wrong passphrases sent at once: the last is due two minutes after the first. */
const GUESSES = 12;
/** Maximum CPU time in milliseconds for which the main thread may be blocked; a derivation takes more than a second. */
const MAX_HELD = 100;

/** Calls that unlock keys at full cost. @param onUnlocked - called for each that succeeds */
function unlockAll(
  { endpoints }: StartedNode,
  accounts: readonly string[],
  onUnlocked: () => unknown,
): Promise<Reply[]> {
  const unlock = async (_: unknown, i: number): Promise<Reply> => {
    const address = accounts[i % accounts.length];
    const reply = await overHttp(endpoints.http, "personal_unlockAccount", address, "right", 60);
    if (reply.result === true) onUnlocked();
    return reply;
  };
  return Promise.all(Array.from({ length: UNLOCKS }, unlock));
}

async function flood(): Promise<string> {
  const node = await startNode();
  try {
    const { http, ipc } = node.endpoints;
    const made = Array.from({ length: 10 }, () => overIpc(ipc, "personal_newAccount", "right"));
    const accounts = (await Promise.all(made)).map(({ result }) => result as string);
    let unlocked = 0;
    const unlocks = unlockAll(node, accounts, () => unlocked++);
    const blocks = heldTimes({ ...node, port: Number(new URL(http).port) }, unlocks);
    const peaking = peakOfTreeWhile(node.child.pid as number, unlocks);
    const before = await until(
      async () => unlocked,
      (count) => count > 0,
    );
    const own = await overIpc(ipc, "personal_newAccount", "owner");
    const overtaking = unlocked - before;
    const answers = await unlocks;
    const held = await blocks;
    const busy = answers.filter(({ error }) => error?.code === BUSY).length;
    hold(unlocked > 0 && unlocked + busy === UNLOCKS, `${unlocked} unlocked, ${busy} busy of ${UNLOCKS}`);
    hold(typeof own.result === "string", `the owner was refused: ${JSON.stringify(own)}`);
    hold(overtaking <= MAX_OVERTAKING, `the owner waited for ${overtaking} calls over HTTP`);
    const peak = await peaking;
    hold(peak < 700, `${Math.round(peak)} MiB`);
    const longest = Math.max(...held);
    hold(longest < MAX_HELD, `the main thread was held for ${longest} ms of its time`);
    return (
      `${unlocked} unlocked, ${busy} told busy, none false; IPC newAccount after ${overtaking} of them; ${held.length} ` +
      `calls of eth_blockNumber beside, the main thread held for ${longest} ms of its time at most; peak ` +
      `${Math.round(peak)} MiB with the processes that derive`
    );
  } finally {
    await node.stop();
  }
}

/** Creates accounts like a client that disconnects; the owner's calls would run beside any that are still queued. */
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
    for (let i = 0; i < OWN_CALLS; i++) await overIpc(ipc, "personal_newAccount", "owner");
    const files = (await count()) - before - 1 - OWN_CALLS;
    hold(files <= 4, `${files} keys were made for callers who had left`);
    return `after 400 newAccount calls that left: ${files} keys made for them while the owner made ${OWN_CALLS + 1}`;
  } finally {
    await node.stop();
  }
}

async function guess(): Promise<string> {
  const node = await startNode("--lightkdf");
  try {
    const { http, ipc } = node.endpoints;
    const accounts = [1, 2].map(() => overIpc(ipc, "personal_newAccount", "right"));
    const [attacked, other] = (await Promise.all(accounts)).map(({ result }) => result as string);
    let guessed = 0;
    const guesses = Array.from({ length: GUESSES }, async () => {
      const { result } = await overHttp(http, "personal_unlockAccount", attacked, "wrong", 1);
      hold(result === false, `a guess returned ${result}`);
      guessed++;
    });
    const isGuessed = Promise.all(guesses).catch(() => {}); // the node stops before the last are due
    for (let i = 0; i < GUESSES; i++) {
      const { result } = await overHttp(http, "personal_unlockAccount", other, "right", 1);
      hold(result === true, "an account that nobody guesses at was not unlocked");
    }
    const own = await overIpc(ipc, "personal_unlockAccount", attacked, "right", 1);
    hold(own.result === true, `the owner was refused: ${JSON.stringify(own)}`);
    const before = guessed;
    hold(before < GUESSES, "no guess was delayed");
    await node.stop();
    await isGuessed;
    return `${before} of ${GUESSES} guesses answered after as many unlocks of another account, and one of the owner's over IPC`;
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
    hold(wrong === false, `a wrong passphrase returned ${wrong}`);
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
