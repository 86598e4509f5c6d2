import { Wallet } from "ethers";
import { rpcCall } from "./json-rpc.ts";

const GAS_PRICE = 100_000_000_000n;
/** Maximum pending transactions per account; the pool would reject more. */
const MAX_WAITING = 12;

/** Sends transfers from several accounts as fast as they are accepted, and records all reported receipts. */
export class TransferLoad {
  readonly #url: string;
  readonly #reported: Map<string, string>;
  readonly #answered: Set<string>;
  readonly #running: Promise<unknown>;
  #isEnding = false;

  /**
   * @param reported - receives transaction hash to block hash
   * @param answered - receives the hash of each accepted transaction
   */
  constructor(
    url: string,
    keys: readonly string[],
    chainId: number,
    reported: Map<string, string>,
    answered = new Set<string>(),
  ) {
    this.#url = url;
    this.#reported = reported;
    this.#answered = answered;
    this.#running = Promise.allSettled(keys.map((key) => this.#send(new Wallet(key), chainId)));
  }

  /** Stops the load; calls that fail because the node is gone are ignored. */
  async end(): Promise<void> {
    this.#isEnding = true;
    await this.#running;
  }

  async #send(wallet: Wallet, chainId: number): Promise<void> {
    const waiting: string[] = [];
    let nonce = Number(await rpcCall(this.#url, "eth_getTransactionCount", wallet.address, "pending"));
    while (!this.#isEnding) {
      if (waiting.length < MAX_WAITING) {
        const raw = await wallet.signTransaction({
          ...{ type: 0, chainId, nonce: nonce++, gasLimit: 21_000, gasPrice: GAS_PRICE },
          ...{ to: wallet.address, value: 1 },
        });
        const hash: string = await rpcCall(this.#url, "eth_sendRawTransaction", raw);
        this.#answered.add(hash);
        waiting.push(hash);
      }
      await this.#note(waiting);
    }
  }

  /** Removes the oldest transaction from the list once the node reports its receipt. */
  async #note(waiting: string[]): Promise<void> {
    const [hash] = waiting as [string];
    const receipt = await rpcCall(this.#url, "eth_getTransactionReceipt", hash);
    if (receipt === null) return;
    this.#reported.set(hash, receipt.blockHash);
    waiting.shift();
  }
}
