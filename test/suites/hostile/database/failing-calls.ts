import { execFile, execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { rpcCall } from "../../../e2e/json-rpc.ts";
import { type KairnProcess, runKairn, startKairn } from "../../../e2e/kairn-process.ts";
import { hold, Skipped } from "../row.ts";

const SOURCE = fileURLToPath(new URL("./failing-disk.c", import.meta.url));
const TIMEOUT_MS = 30_000;
const { ENOSPC, EIO, EROFS, EDQUOT } = constants.errno;
const ERRORS = [ENOSPC, EIO, EROFS, EDQUOT];
/** Failures of a device or a whole file system, not of its free space. */
const OF_DEVICE = new Set([EIO, EROFS]);
/** Disk errors in messages: LMDB reports what a call returned, and only some of its texts have a code. */
const REASON = /ENOSPC|EIO|EROFS|EDQUOT|EFBIG|damaged/;

/** A disk controlled by the test. */
interface Disk {
  /** Process id of the node on this disk. */
  readonly env: Readonly<Record<string, string>>;
  /** Makes every write and sync of the database fail from the n-th call on (0: the next). */
  failFrom(n: number, errno: number): void;
  /** Calls that failed so far. */
  failed(): number;
  mend(): void;
}

/** A node whose disk fails, and what it has acknowledged. */
class FaultyNode {
  readonly dataDir: string;
  readonly #env: Readonly<Record<string, string>>;
  #started!: KairnProcess;
  #url = "";
  #ipc = "";
  #sender = "";
  readonly acknowledged: string[] = [];
  head = 0;

  constructor(dataDir: string, env: Readonly<Record<string, string>>) {
    this.dataDir = dataDir;
    this.#env = env;
  }

  get pid(): number {
    return this.#started.child.pid as number;
  }

  get stderr(): string {
    return this.#started.printed.stderr;
  }

  async start(): Promise<void> {
    const flags = ["--datadir", this.dataDir, "--rpcport", "0", "--wsport", "0", "--no-mining"];
    this.#started = startKairn(["dev", "--json", ...flags], { env: this.#env });
    const { endpoints, accounts } = JSON.parse(await this.#started.firstLine());
    this.#url = endpoints.http;
    this.#ipc = endpoints.ipc;
    this.#sender = accounts[0].address;
  }

  /** Whether LMDB's description of a failed write, which overflows its buffer, has crashed the process. */
  async wasEndedByLmdb(): Promise<boolean> {
    await new Promise((resolve) => setTimeout(resolve, 100)); // a signal is reported after its effects
    const { signalCode } = this.#started.child;
    return ["SIGABRT", "SIGSEGV"].includes(signalCode ?? "") && this.stderr.includes("Write error: ");
  }

  // biome-ignore lint/suspicious/noExplicitAny: answers have every shape
  ask(method: string, ...params: unknown[]): Promise<any> {
    return rpcCall(this.#url, method, ...params);
  }

  /** Sends a transfer. @returns whether its hash was returned @throws if the error is not about the disk */
  async send(): Promise<boolean> {
    const tx = { from: this.#sender, to: this.#sender, value: "0x1", gas: "0x5208" };
    const hash = await refused(this.ask("eth_sendTransaction", tx));
    if (hash !== undefined) this.acknowledged.push(hash);
    return hash !== undefined;
  }

  async mine(): Promise<boolean> {
    const isMined = (await refused(this.ask("evm_mine"))) !== undefined;
    if (isMined) this.head = Number(await this.ask("eth_blockNumber"));
    return isMined;
  }

  /** Flushes everything to LMDB's file, as a backup does first. */
  async flush(into: string): Promise<boolean> {
    const { code, stderr } = await runKairn([
      "backup",
      "--datadir",
      this.dataDir,
      "--ipcpath",
      this.#ipc,
      into,
    ]);
    rmSync(into, { recursive: true, force: true });
    hold(code === 0 || REASON.test(stderr), `backup ended with ${code}: ${stderr}`);
    return code === 0;
  }

  async isReady(): Promise<boolean> {
    const { status } = await fetch(new URL("/ready", this.#url)).catch(() => {
      throw new Error(this.ended());
    });
    hold(status === 200 || status === 503, `/ready answered ${status}`);
    return status === 200;
  }

  /** Reads return what was acknowledged, and all writes fail. */
  async checkMeanwhile(): Promise<void> {
    hold(this.#started.child.exitCode === null && this.#started.child.signalCode === null, this.ended());
    for (const number of [0, this.head >> 1, this.head])
      hold((await this.ask("eth_getBlockByNumber", `0x${number.toString(16)}`, true)) !== null, "a read");
    hold(BigInt(await this.ask("eth_getBalance", this.#sender, "latest")) > 0n, "a balance");
    hold(!(await this.send()), "a hash was answered while nothing can be written");
    hold(!(await this.mine()), "a block was made while nothing can be written");
  }

  ended(): string {
    const { exitCode, signalCode } = this.#started.child;
    return `the node ended (${exitCode ?? signalCode}): ${this.stderr.slice(-500)}`;
  }

  /** Every transaction whose hash was returned exists. */
  async checkAcknowledged(from = 0): Promise<void> {
    for (const hash of this.acknowledged.slice(from))
      hold((await this.ask("eth_getTransactionByHash", hash)) !== null, `${hash} was answered and is gone`);
    const head = Number(await this.ask("eth_blockNumber"));
    hold(head >= this.head, `block ${this.head} was acknowledged, the head is ${head}`);
  }

  async kill(): Promise<void> {
    this.#started.child.kill("SIGKILL");
    await this.#started.exited;
  }
}

/** The result; undefined if it failed because of the disk. */
async function refused<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    hold(REASON.test((error as Error).message), `refused for another reason: ${(error as Error).message}`);
    return undefined;
  }
}

async function until(holds: () => Promise<boolean>, otherwise: string): Promise<void> {
  for (const end = performance.now() + TIMEOUT_MS; !(await holds()); )
    if (performance.now() > end) throw new Error(otherwise);
    else await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Preloads our own library, in which system calls fail. */
function compiledDisk(folder: string, dataDir: string): Disk {
  const [library, orders] = [join(folder, "failing-disk.so"), join(folder, "orders")];
  try {
    execFileSync("cc", ["-shared", "-fPIC", "-O1", "-o", library, SOURCE, "-ldl"], { stdio: "pipe" });
  } catch (error) {
    throw new Skipped(`no C compiler makes the failing disk: ${(error as Error).message.slice(0, 100)}`);
  }
  const file = openSync(orders, "wx+");
  const say = (pass: number, errno: number): void => {
    const bytes = Buffer.alloc(12);
    bytes.writeInt32LE(pass, 0);
    bytes.writeInt32LE(errno, 4);
    writeSync(file, bytes, 0, bytes.length, 0);
  };
  say(-1, EIO);
  process.once("exit", () => closeSync(file));
  return {
    env: { LD_PRELOAD: library, FAILING_DISK: orders, FAILING_FOLDER: dataDir },
    failFrom: say,
    failed: () => {
      const bytes = Buffer.alloc(12);
      readSync(file, bytes, 0, bytes.length, 0);
      return bytes.readInt32LE(8);
    },
    mend: () => say(-1, EIO),
  };
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
    let [calls, ended] = [0, 0];
    try {
      await node.start();
      await node.mine();
      for (let n = 0; n <= max; n++) {
        const failing = failOnce({ node, disk, n, copies: join(folder, "copies") });
        calls += await failing.catch(async (error: Error) => {
          if (!OF_DEVICE.has(errnoOf(n)) || !(await node.wasEndedByLmdb())) throw error;
          ended++;
          disk.mend();
          await node.start();
          await node.checkAcknowledged();
          return 1;
        });
      }
    } finally {
      disk.mend();
      await node.kill();
    }
    await checkAfterwards(node);
    const words = saidOfDisk(node.stderr);
    return (
      `${max + 1 - ended} of ${max + 1} faults left the node running, all for lack of space among them, ${ended} of ` +
      `the device had LMDB end it (${calls} calls failed), ${node.acknowledged.length} transactions and ${node.head} ` +
      `blocks acknowledged, 0 lost${words}`
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
    `fault ${n}: /ready says yes while nothing can be written`,
  );
  await node.checkMeanwhile();
  const failed = disk.failed();
  disk.mend();
  await until(() => node.isReady(), `fault ${n}: not ready again: ${node.stderr.slice(-300)}`);
  const before = node.head;
  hold((await node.send()) && (await node.mine()), `fault ${n}: refused after the disk was mended`);
  hold(node.head > before, `fault ${n}: no block after the disk was mended`);
  await node.checkAcknowledged();
  return failed;
}

/** What was acknowledged is found by another process after a kill, and the folder is intact. */
async function checkAfterwards(node: FaultyNode): Promise<void> {
  const check = await runKairn(["db", "check", "--datadir", node.dataDir]);
  hold(check.code === 0, `db check: ${check.stderr}`);
  const again = new FaultyNode(node.dataDir, {});
  try {
    await again.start();
    again.acknowledged.push(...node.acknowledged);
    again.head = node.head;
    await again.checkAcknowledged();
  } finally {
    await again.kill();
  }
}

/** Output of LMDB itself, besides the node's log. */
function saidOfDisk(stderr: string): string {
  const lines = stderr.split("\n").filter((line) => line !== "" && !/^\d\d:\d\d:/.test(line));
  return lines.length === 0
    ? ""
    : `; printed beside the log: ${JSON.stringify(lines[0])} (${lines.length} lines)`;
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
        await until(async () => !(await node.isReady()), "/ready says yes while nothing can be written");
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
    return `${rounds} of ${rounds} times EFBIG: reads answered, writes refused; ${node.acknowledged.length} transactions acknowledged, 0 lost`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
