import { basename } from "node:path";
import { startKairn } from "../../../e2e/kairn-process.ts";
import { hold } from "../row.ts";

/** What a node is asked about its folder. */
export interface Question {
  readonly method: string;
  readonly params: readonly unknown[];
  /** Newest block that the answer depends on; undefined for keys and the pool. */
  readonly block?: number;
}

interface Answer {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/** What the built program did with a folder. */
export interface FolderRun {
  /** Exit code; null after a signal. */
  readonly code: number | null;
  readonly stderr: string;
  /** In the order of the questions; undefined if it did not start. */
  readonly answers?: readonly Answer[];
}

/**
 * - `unharmed`: all answers as before, nothing logged about it
 * - `told`: all answers about the chain as before, and a warning that names the file
 * - `cut`: a log ends earlier, at a whole block, with a warning that names the file
 * - `unsaid`: the chain is as before; a key or a waiting transaction is gone, and no warning names its file
 * - `errors`: some answers are errors for damage
 * - `refused`: exit code 74 with the file's name before it was ready
 * - `died`: ended by a signal
 */
export type Outcome = "unharmed" | "told" | "unsaid" | "cut" | "errors" | "refused" | "died";

const FLAGS = ["--json", "--no-mining", "--ipcdisable", "--rpcport", "0", "--wsport", "0"];
const BATCH = 250;
/** Texts of defects in the program, which a damaged file must not lead to. */
const DEFECT = /TypeError|RangeError|ReferenceError|SyntaxError|AssertionError|undefined|NaN|\n {4}at /;

/** Starts `kairn dev` on a folder, asks, and stops it. */
export async function runFolder(
  path: string,
  ask: (
    request: (questions: readonly Question[]) => Promise<readonly Answer[]>,
  ) => Promise<readonly Answer[]>,
): Promise<FolderRun> {
  const node = startKairn(["dev", ...FLAGS, "--datadir", path]);
  const banner = await node.firstLine().catch(() => undefined);
  if (banner === undefined) return { code: await node.exited, stderr: node.printed.stderr };
  const { http } = JSON.parse(banner).endpoints;
  const answers = await ask((questions) => request(http, questions)).catch((error) => error as Error);
  node.child.kill("SIGTERM");
  const code = await node.exited;
  const { stderr } = node.printed;
  hold(!(answers instanceof Error) || code === null, `no answer: ${String(answers)} ${stderr}`);
  return { code, stderr, ...(!(answers instanceof Error) && { answers }) };
}

async function request(url: string, questions: readonly Question[]): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  for (let at = 0; at < questions.length; at += BATCH) {
    const calls = questions.slice(at, at + BATCH);
    const body = JSON.stringify(
      calls.map(({ method, params }, id) => ({ jsonrpc: "2.0", id, method, params })),
    );
    const headers = { "content-type": "application/json" };
    const response = await fetch(url, { method: "POST", headers, body });
    const results = (await response.json()) as (Answer & { readonly id: number })[];
    hold(results.length === calls.length, `${results.length} responses to ${calls.length} calls`);
    answers.push(...results.sort((a, b) => a.id - b.id));
  }
  return answers;
}

/**
 * Compares what a node does with a damaged folder with what it did with the intact one.
 * @param file - path of the damaged file
 * @throws Error for a wrong answer, fewer blocks without a warning, another exit code than 74 or a message without the file's name
 */
export function judge(
  questions: readonly Question[],
  whole: readonly Answer[],
  { code, stderr, answers }: FolderRun,
  file: string,
): Outcome {
  const shown = stderr.slice(0, 600);
  const name = basename(file);
  hold(!DEFECT.test(stderr), `a defect shows: ${shown}`);
  if (code === null) return "died";
  if (answers === undefined) {
    hold(code === 74, `exited with ${code}: ${shown}`);
    hold(stderr.includes(file), `refused without naming ${file}: ${shown}`);
    return "refused";
  }
  const errors = answers.flatMap(({ error }) =>
    error && /damaged/.test(error.message) ? [error.message] : [],
  );
  const isTold = stderr.split("\n").some((line) => /WARN|ERROR/.test(line) && line.includes(name));
  const head = Number(answers[0]?.result);
  let isLess = false;
  const isCut = head < Number(whole[0]?.result);
  for (const [i, { method, params, block }] of questions.entries()) {
    const [before, now] = [JSON.stringify(whole[i]), answers[i] as Answer];
    if (i === 0 && isCut) continue;
    const about = `${method} ${JSON.stringify(params)}: ${JSON.stringify(now).slice(0, 300)}, not ${before?.slice(0, 300)}`;
    if (JSON.stringify(now) === before) continue;
    hold(!DEFECT.test(now.error?.message ?? ""), about);
    // a transaction of a lost block may wait again, if the journal has it
    const { blockNumber } = (now.result ?? {}) as { readonly blockNumber?: unknown };
    const isGone = now.error !== undefined || now.result === null || blockNumber === null;
    if (now.error && errors.includes(now.error.message)) continue;
    const isBeyond = isCut && block !== undefined && block > head && isGone;
    const isItsOwn = block === undefined && !file.includes("chaindata");
    hold(isBeyond || isItsOwn, about);
    isLess ||= isItsOwn;
  }
  hold(!isCut || (isTold && name.startsWith("log-")), `${head} blocks without a warning: ${shown}`);
  hold(
    errors.length === 0 || stderr.includes(file),
    `damage that the log does not name: ${errors[0]} ${shown}`,
  );
  hold(code === 0 || (code === 74 && errors.length > 0), `stopped with ${code}: ${shown}`);
  if (errors.length > 0) return "errors";
  if (isCut) return "cut";
  if (isTold) return "told";
  return isLess ? "unsaid" : "unharmed";
}
