import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { hold, Skipped } from "../row.ts";
import { compiledDisk, type Disk } from "./failing-disk.ts";
import { checkAfterwards, FaultyNode } from "./faulty-node.ts";

const TIMEOUT_MS = 30_000;
const { ENOSPC, EIO, EROFS, EDQUOT } = constants.errno;
const ERRORS = [ENOSPC, EIO, EROFS, EDQUOT];

async function until(holds: () => Promise<boolean>, otherwise: string): Promise<void> {
  for (const end = performance.now() + TIMEOUT_MS; !(await holds()); )
    if (performance.now() > end) throw new Error(otherwise);
    else await new Promise((resolve) => setTimeout(resolve, 20));
}

/**
 * Below LMDB and Node.js: from the n-th write or sync of the log or of `store.mdb` on, each fails until the disk is repaired.
 * @param max - maximum n
 */
export async function failingCalls(max: number): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "kairn-calls-"));
  try {
    const dataDir = join(folder, "data");
    const disk = compiledDisk(folder, dataDir);
    const node = new FaultyNode(dataDir, disk.env);
    let calls = 0;
    try {
      await node.start();
      await node.mine();
      for (let n = 0; n <= max; n++)
        calls += await failOnce({ node, disk, n, copies: join(folder, "copies") });
    } finally {
      disk.mend();
      await node.kill();
    }
    await checkAfterwards(node);
    const words = lmdbOutput(node.stderr);
    return (
      `${max + 1} of ${max + 1} faults left the node running (${calls} calls failed), ` +
      `${node.acknowledged.length} transactions and ${node.head} blocks acknowledged, 0 lost${words}`
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function errnoOf(round: number): number {
  return ERRORS[round % ERRORS.length] as number;
}

/** @returns the number of failed calls */
async function failOnce(round: {
  readonly node: FaultyNode;
  readonly disk: Disk;
  readonly n: number;
  readonly copies: string;
}): Promise<number> {
  const { node, disk, n, copies } = round;
  await node.send();
  disk.failFrom(n, errnoOf(n));
  // The first faults hit the log, the others LMDB's file.
  if (n > 1) await node.flush(copies);
  for (let i = 0; disk.failed() === 0 && i < TIMEOUT_MS; i++) {
    await node.send();
    await node.mine();
    if (disk.failed() === 0) await node.flush(copies);
  }
  await until(
    async () => !(await node.isReady()),
    `fault ${n}: /ready reports 200 although nothing can be written`,
  );
  await node.checkMeanwhile();
  const failed = disk.failed();
  disk.mend();
  await until(() => node.isReady(), `fault ${n}: not ready again: ${node.stderr.slice(-300)}`);
  const before = node.head;
  hold((await node.send()) && (await node.mine()), `fault ${n}: refused after the disk was repaired`);
  hold(node.head > before, `fault ${n}: no block after the disk was repaired`);
  await node.checkAcknowledged();
  return failed;
}

/** Output of LMDB itself, besides the node's log. */
function lmdbOutput(stderr: string): string {
  const lines = stderr.split("\n").filter((line) => line !== "" && !/^\d\d:\d\d:/.test(line));
  return lines.length === 0
    ? ""
    : `; printed besides the log: ${JSON.stringify(lines[0])} (${lines.length} lines)`;
}

/** The same without a compiler or privileges: a file size limit (`RLIMIT_FSIZE`), which gives `EFBIG`. */
export async function limitedFiles(rounds: number): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "kairn-limit-"));
  const limit = async (pid: number, bytes: number | "unlimited"): Promise<void> => {
    await promisify(execFile)("prlimit", ["--pid", `${pid}`, `--fsize=${bytes}:`]);
  };
  await limit(process.pid, "unlimited").catch((error: Error) => {
    throw new Skipped(`there is no prlimit here: ${error.message.slice(0, 100)}`);
  });
  try {
    const node = new FaultyNode(join(folder, "data"), {});
    try {
      await node.start();
      for (let round = 0; round < rounds; round++) {
        await limit(node.pid, 4096 * (1 + round));
        while ((await node.send()) && (await node.mine()));
        await until(
          async () => !(await node.isReady()),
          "/ready reports 200 although nothing can be written",
        );
        await node.checkMeanwhile();
        await limit(node.pid, "unlimited");
        await until(() => node.isReady(), `not ready again: ${node.stderr.slice(-300)}`);
        hold((await node.send()) && (await node.mine()), "refused after the limit was lifted");
        await node.checkAcknowledged();
        hold(
          await node.flush(join(folder, "copy")),
          "not written to the database after the limit was lifted",
        );
      }
    } finally {
      await node.kill();
    }
    await checkAfterwards(node);
    return `${rounds} of ${rounds} times EFBIG: reads served, writes refused; ${node.acknowledged.length} transactions acknowledged, 0 lost`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
