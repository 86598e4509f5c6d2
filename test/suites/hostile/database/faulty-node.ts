import { rmSync } from "node:fs";
import { rpcCall } from "../../../e2e/json-rpc.ts";
import { type KairnProcess, runKairn, startKairn } from "../../../e2e/kairn-process.ts";
import { hold } from "../row.ts";

/** Disk errors in messages: LMDB reports what a call returned, and only some of its texts have a code. */
const REASON = /ENOSPC|EIO|EROFS|EDQUOT|EFBIG|damaged/;

/** A node whose disk fails, and what it has acknowledged. */
export class FaultyNode {
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
    hold(status === 200 || status === 503, `/ready returned ${status}`);
    return status === 200;
  }

  /** Reads return what was acknowledged, and all writes fail. */
  async checkMeanwhile(): Promise<void> {
    hold(this.#started.child.exitCode === null && this.#started.child.signalCode === null, this.ended());
    for (const number of [0, this.head >> 1, this.head])
      hold((await this.ask("eth_getBlockByNumber", `0x${number.toString(16)}`, true)) !== null, "a read");
    hold(BigInt(await this.ask("eth_getBalance", this.#sender, "latest")) > 0n, "a balance");
    hold(!(await this.send()), "a hash was returned although nothing can be written");
    hold(!(await this.mine()), "a block was sealed although nothing can be written");
  }

  ended(): string {
    const { exitCode, signalCode } = this.#started.child;
    return `the node ended (${exitCode ?? signalCode}): ${this.stderr.slice(-500)}`;
  }

  /** Every transaction whose hash was returned exists. */
  async checkAcknowledged(from = 0): Promise<void> {
    for (const hash of this.acknowledged.slice(from))
      hold((await this.ask("eth_getTransactionByHash", hash)) !== null, `${hash} was returned but is gone`);
    const head = Number(await this.ask("eth_blockNumber"));
    hold(head >= this.head, `block ${this.head} was acknowledged, the head is ${head}`);
  }

  async kill(): Promise<void> {
    this.#started.child.kill("SIGKILL");
    await this.#started.exited;
  }
}

/** The result; undefined if it failed because of the disk. */
export async function refused<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    hold(REASON.test((error as Error).message), `refused for another reason: ${(error as Error).message}`);
    return undefined;
  }
}

/** What was acknowledged is found by another process after a kill, and the folder is intact. */
export async function checkAfterwards(node: FaultyNode): Promise<void> {
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
