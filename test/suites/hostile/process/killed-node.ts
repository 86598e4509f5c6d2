import { rmSync } from "node:fs";
import { rpcCall } from "../../../e2e/json-rpc.ts";
import { type StartedNode, startNodeIn, temporaryFolder } from "../../../e2e/started-node.ts";

const GAS_PRICE = "0x174876e800";

/** A development node on one folder that is killed and restarted. */
export class KilledNode {
  readonly #folder = temporaryFolder();
  readonly #flags: readonly string[];
  #node: StartedNode | undefined;

  /** @param flags - of every start */
  constructor(...flags: string[]) {
    this.#flags = flags;
  }

  get node(): StartedNode {
    if (this.#node === undefined) throw new Error("the node was not started");
    return this.#node;
  }

  /** Address of the first account. */
  get sender(): string {
    return this.node.accounts[0]?.address ?? "";
  }

  async start(...more: string[]): Promise<void> {
    this.#node = await startNodeIn(this.#folder, ...this.#flags, ...more);
  }

  /** Stops and restarts it on its folder. @returns milliseconds from the signal to the first response */
  async restart(signal: "SIGKILL" | "SIGINT"): Promise<number> {
    const began = performance.now();
    this.node.child.kill(signal);
    await this.node.exited;
    await this.start();
    await this.call("eth_blockNumber");
    return performance.now() - began;
  }

  // biome-ignore lint/suspicious/noExplicitAny: responses have any shape
  call(method: string, ...params: unknown[]): Promise<any> {
    return rpcCall(this.node.endpoints.http, method, ...params);
  }

  /** Signed transfers of the first account, from its next nonce on. */
  async transfers(count: number): Promise<string[]> {
    const from = this.sender;
    const first = Number(await this.call("eth_getTransactionCount", from, "pending"));
    const raws: string[] = [];
    for (let nonce = first; nonce < first + count; nonce++) {
      const tx = { from, to: from, value: "0x1", gas: "0x5208", gasPrice: GAS_PRICE };
      const { raw } = await this.call("eth_signTransaction", { ...tx, nonce: `0x${nonce.toString(16)}` });
      raws.push(raw);
    }
    return raws;
  }

  /** Which of these transactions are in the pool or a block. */
  async known(hashes: readonly string[]): Promise<string[]> {
    const found = await Promise.all(hashes.map((hash) => this.call("eth_getTransactionByHash", hash)));
    return hashes.filter((_, i) => found[i] !== null);
  }

  /** Stops it and removes the folder. */
  async end(): Promise<void> {
    this.#node?.child.kill("SIGKILL");
    await this.#node?.exited;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
