import { join } from "node:path";
import { type Branches, makeBranches } from "./branches.ts";
import { runKairn, startKairn } from "./kairn-process.ts";

export interface BranchRounds {
  readonly rounds: number;
  /** An empty folder. */
  readonly folder: string;
  /** From 0 to below 1. */
  random(): number;
  onRound?(round: number, branch: number): void;
}

/**
 * Repeatedly kills imports that replace one branch with another. After each kill the chain must be one of the complete ones, and
 * `kairn db check` must find that state, blocks and all indexes agree.
 * @returns the number of branches adopted
 * @throws Error that describes what was found
 */
export async function killBranchRounds({ rounds, folder, random, onRound }: BranchRounds): Promise<number> {
  const branches = await makeBranches(folder, rounds + 1);
  const kairn = kairnOn(join(folder, "data"));
  await kairn("init", branches.genesis);
  const begun = performance.now();
  await kairn("import", branches.files[0] as string);
  const longest = performance.now() - begun;
  let taken = 0;
  for (let round = 1; round <= rounds; round++) {
    await killed(join(folder, "data"), branches.files[taken + 1] as string, random() * longest);
    taken = await wholeChain(kairn, branches);
    onRound?.(round, taken);
  }
  for (const file of branches.files.slice(taken + 1)) await kairn("import", file);
  return wholeChain(kairn, branches);
}

type Kairn = (command: string, ...args: string[]) => Promise<string>;

function kairnOn(dataDir: string): Kairn {
  return async (command, ...args) => {
    const { code, stdout, stderr } = await runKairn([command, "--datadir", dataDir, ...args]);
    if (code !== 0) throw new Error(`kairn ${command} ended with ${code}: ${stderr}`);
    return stdout;
  };
}

async function killed(dataDir: string, file: string, afterMs: number): Promise<void> {
  const { child, exited } = startKairn(["import", "--datadir", dataDir, file]);
  const timer = setTimeout(() => child.kill("SIGKILL"), afterMs);
  await exited;
  clearTimeout(timer);
}

/** The chain that the folder has. */
async function wholeChain(kairn: Kairn, { heads }: Branches): Promise<number> {
  await kairn("db", "check");
  const head = /^head +block \d+ (0x[0-9a-f]{64})$/m.exec(await kairn("db", "stats"))?.[1];
  const branch = heads.indexOf(head ?? "");
  if (branch === -1) throw new Error(`the head ${head} is that of none of the chains`);
  return branch;
}
