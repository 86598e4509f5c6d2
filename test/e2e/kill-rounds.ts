import { rpcCall, until } from "./json-rpc.ts";
import { TransferLoad } from "./transfer-load.ts";

/** A node under test; `kill` stops it like a power cut. */
export interface Killable {
  readonly url: string;
  readonly chainId: number;
  readonly keys: readonly string[];
  kill(): Promise<void>;
}

export interface KillRounds {
  readonly rounds: number;
  /** Restarts the node on the same folder. */
  start(): Promise<Killable>;
  /** From 0 to below 1. */
  random(): number;
  onRound?(round: number, reported: number): void;
}

/** What a node has reported: hashes of accepted transactions, and the blocks in their receipts. */
interface Seen {
  readonly reported: Map<string, string>;
  readonly answered: Set<string>;
}

/** Maximum time under load before a kill. */
const MAX_LOAD_MS = 1500;
/** Transactions of earlier rounds that are checked again after each start; all are checked at the end. */
const RECHECKED = 100;

/**
 * Repeatedly kills a node under load, and compares its chain after each restart with what it had reported.
 * @returns the number of transactions whose receipts were reported, all of which are still in their blocks
 * @throws Error that names the first transaction that was lost or moved
 */
export async function killRounds({ rounds, start, random, onRound }: KillRounds): Promise<number> {
  const reported = new Map<string, string>();
  const answered = new Set<string>();
  let before = 0;
  for (let round = 1; round <= rounds; round++) {
    const node = await start();
    try {
      const first = Math.floor(random() * before);
      const again = [...reported].slice(first, Math.min(first + RECHECKED, before));
      await checkReported(node.url, [...again, ...[...reported].slice(before)]);
      await checkAnswered(node.url, answered);
      before = reported.size;
      await loadFor(node, { reported, answered }, random() * MAX_LOAD_MS);
    } finally {
      await node.kill();
    }
    onRound?.(round, reported.size);
  }
  const node = await start();
  try {
    await checkReported(node.url, [...reported]);
    await checkAnswered(node.url, answered);
  } finally {
    await node.kill();
  }
  return reported.size;
}

/** Kills while transactions are in flight, but not before a block was sealed. */
async function loadFor({ url, keys, chainId, kill }: Killable, seen: Seen, ms: number) {
  const { reported } = seen;
  const before = reported.size;
  const load = new TransferLoad(url, keys, chainId, reported, seen.answered);
  await until(
    async () => reported.size,
    (size) => size > before,
  );
  await new Promise((resolve) => setTimeout(resolve, ms));
  await kill();
  await load.end();
}

/** Every returned hash is in a block or in the pool. */
async function checkAnswered(url: string, answered: Set<string>): Promise<void> {
  for (const hash of answered) {
    if ((await rpcCall(url, "eth_getTransactionByHash", hash)) === null)
      throw new Error(`transaction ${hash} was accepted, now it is lost`);
  }
  answered.clear();
}

async function checkReported(url: string, reported: readonly [string, string][]): Promise<void> {
  const canonical = new Map<string, string>();
  for (const [hash, blockHash] of reported) {
    const receipt = await rpcCall(url, "eth_getTransactionReceipt", hash);
    if (receipt?.blockHash !== blockHash) {
      throw new Error(`transaction ${hash} was in block ${blockHash}, now in ${receipt?.blockHash}`);
    }
    const number: string = receipt.blockNumber;
    if (!canonical.has(number)) {
      canonical.set(number, (await rpcCall(url, "eth_getBlockByNumber", number, false)).hash);
    }
    if (canonical.get(number) !== blockHash) throw new Error(`block ${number} is no longer ${blockHash}`);
  }
}
