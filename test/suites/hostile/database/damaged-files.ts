import { cpSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hold } from "../row.ts";
import { judge, type Outcome, type Question, runFolder } from "./read-folder.ts";
import type { SampleFolder } from "./sample-folder.ts";

/** Size of the block that is overwritten with zeros. */
const BLOCK = 4096;

/** One change of one file. */
export interface Damage {
  /** Path in the data folder. */
  readonly file: string;
  readonly what: "bit" | "cut" | "zeros" | "removed";
  /** Offset of the byte, of the new end, or of the block. */
  readonly at?: number;
  readonly bit?: number;
}

/** How many folders ended how. */
export type Outcomes = Partial<Record<Outcome, number>>;

/**
 * Damages copies of a folder, one change in each, and starts the built program on it.
 * @param allowed - the outcomes that may happen, by damage
 * @throws Error with the damage, if another happens
 */
export async function readDamaged(
  folder: SampleFolder,
  damages: readonly Damage[],
  allowed: (damage: Damage) => readonly Outcome[],
): Promise<Outcomes> {
  const copy = `${folder.path}-copy`;
  const fresh = (): void => {
    rmSync(copy, { recursive: true, force: true });
    cpSync(folder.path, copy, { recursive: true, filter: (path) => !statSync(path).isSocket() });
  };
  const outcomes: Outcomes = {};
  try {
    fresh();
    let questions: readonly Question[] = [];
    const intact = await runFolder(copy, async (request) => {
      questions = await questionsAbout(folder, request);
      return request(questions);
    });
    const whole = intact.answers ?? [];
    hold(intact.code === 0 && whole.length > 300, `the intact folder: ${intact.code} ${intact.stderr}`);
    hold(!/WARN|ERROR/.test(intact.stderr), `the intact folder: ${intact.stderr}`);
    hold(
      whole.every(({ error }) => !error),
      `the intact folder: ${JSON.stringify(whole.find(({ error }) => error))}`,
    );
    for (const damage of damages) {
      fresh();
      apply(copy, damage);
      const run = await runFolder(copy, (request) => request(questions));
      const { file, what, at, bit } = damage;
      const about = `${file}: ${what} ${at ?? ""} ${bit ?? ""}`;
      try {
        const outcome = judge(questions, whole, run, join(copy, file));
        hold(allowed(damage).includes(outcome), `${outcome}: ${run.stderr.slice(0, 600)}`);
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      } catch (error) {
        throw new Error(`${about}: ${(error as Error).message}`);
      }
    }
    return outcomes;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** The outcomes in a line. */
export function outcomesText(outcomes: Outcomes): string {
  const counts = Object.entries(outcomes);
  const total = counts.reduce((sum, [, count]) => sum + count, 0);
  return `${total} damages: ${counts.map(([outcome, count]) => `${count} ${outcome}`).join(", ")}`;
}

function apply(folder: string, { file, what, at = 0, bit = 0 }: Damage): void {
  const path = join(folder, file);
  if (what === "removed") {
    rmSync(path);
    return;
  }
  const bytes = readFileSync(path);
  if (what === "cut") truncateSync(path, at);
  else if (what === "zeros") bytes.fill(0, at, Math.min(at + BLOCK, bytes.length));
  else bytes[at] = (bytes[at] as number) ^ (1 << bit);
  if (what !== "cut") writeFileSync(path, bytes);
}

type Request = (questions: readonly Question[]) => Promise<readonly { readonly result?: unknown }[]>;

interface Block {
  readonly hash: string;
  readonly transactions: readonly { readonly hash: string }[];
}

/** Everything about every block, its transactions, states and logs, with numbers and hashes of the intact chain. */
async function questionsAbout(
  { contract, blocks, waiting }: SampleFolder,
  request: Request,
): Promise<Question[]> {
  const tags = Array.from({ length: blocks + 1 }, (_, number) => `0x${number.toString(16)}`);
  const full = tags.map((tag, block) => ({ method: "eth_getBlockByNumber", params: [tag, true], block }));
  const [{ result: accounts } = {}, ...found] = await request([
    { method: "eth_accounts", params: [] },
    ...full,
  ]);
  const addresses = [...(accounts as string[]).slice(0, 6), contract];
  const questions: Question[] = [{ method: "eth_blockNumber", params: [], block: blocks }, ...full];
  for (const [block, tag] of tags.entries()) {
    const about = (method: string, ...params: unknown[]) => questions.push({ method, params, block });
    const { hash, transactions } = (found[block] as { readonly result: Block }).result;
    about("eth_getBlockReceipts", tag);
    about("eth_getBlockByHash", hash, false);
    about("eth_getLogs", { blockHash: hash });
    for (const address of addresses) about("eth_getBalance", address, tag);
    for (const slot of ["0x0", "0x5", "0x7"]) about("eth_getStorageAt", contract, slot, tag);
    for (const { hash } of transactions) {
      about("eth_getTransactionByHash", hash);
      about("eth_getTransactionReceipt", hash);
    }
  }
  const head = tags.at(-1);
  const about = (method: string, ...params: unknown[]) => questions.push({ method, params, block: blocks });
  for (const address of addresses) {
    about("eth_getTransactionCount", address, head);
    about("eth_getCode", address, head);
    about("eth_getProof", address, ["0x5"], head);
  }
  about("eth_getLogs", { fromBlock: "0x0", toBlock: head, address: contract });
  questions.push({ method: "eth_accounts", params: [] });
  if (waiting) questions.push({ method: "eth_getTransactionByHash", params: [waiting] });
  return questions;
}
