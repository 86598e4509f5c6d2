// The chain of the measured node: the funded account sends what a phase needs beforehand.
import { setTimeout as pause } from "node:timers/promises";
import { word } from "./lib/asm.mjs";
import { account, signLegacy } from "./lib/eth.mjs";
import { open } from "./lib/http.mjs";
import { TOKEN_INIT } from "./lib/token.mjs";

const RECEIPT_POLL_MS = 20;

/** The text of a request. */
export const requestText = (method, params = []) => JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });

/** @param options `url`, `key` of the funded account, `timeout` in seconds */
export async function openChain({ url, key, timeout }) {
  const connection = await open(url);
  const chainId = BigInt(await connection.rpc("eth_chainId"));
  const gasPrice = BigInt(await connection.rpc("eth_gasPrice")) * 2n;
  return new Chain({
    url,
    connection,
    chainId,
    gasPrice,
    root: key ? account(key) : undefined,
    timeoutMs: timeout * 1000,
  });
}

class Chain {
  #connection;
  #token;

  constructor({ connection, ...parts }) {
    this.#connection = connection;
    Object.assign(this, parts);
  }

  /** Reopened if the node has closed it for being idle. */
  async connection() {
    if (this.#connection.closed) this.#connection = await open(this.url);
    return this.#connection;
  }

  async rpc(method, params = []) {
    return (await this.connection()).rpc(method, params);
  }

  async nonceOf(address) {
    return Number(await this.rpc("eth_getTransactionCount", [address, "pending"]));
  }

  /** @param privateKey - of the sender @returns `{ raw, hash }` */
  sign(transaction, privateKey = this.root.priv) {
    const { chainId, gasPrice } = this;
    return signLegacy({ chainId, gasPrice, gas: 21_000, ...transaction }, privateKey);
  }

  async receipt(hash, pollMs = RECEIPT_POLL_MS) {
    const end = performance.now() + this.timeoutMs;
    for (;;) {
      const receipt = await this.rpc("eth_getTransactionReceipt", [hash]).catch(() => null);
      if (receipt) return receipt;
      if (performance.now() > end) throw new Error(`no receipt for ${hash}`);
      await pause(pollMs);
    }
  }

  /** Sends a transaction of the funded account and waits for its receipt, which must report success. */
  async send(transaction) {
    const { raw, hash } = this.sign({ nonce: await this.nonceOf(this.root.address), ...transaction });
    const receipt = await this.receipt((await this.rpc("eth_sendRawTransaction", [raw])) || hash);
    if (receipt.status !== "0x1") throw new Error("a transaction of the preparation failed");
    return receipt;
  }

  /** @returns the address */
  async deploy(data, gas = 3_000_000) {
    return (await this.send({ to: null, gas, data })).contractAddress;
  }

  /** The token that is read and transferred; deployed once. */
  async token() {
    this.#token ??= await this.deploy(TOKEN_INIT, 2_000_000);
    return this.#token;
  }

  /** Gives a contract more tokens than any loop transfers. @param token - default: that of `token()` */
  async giveTokens(to, token) {
    const data = `0xa9059cbb${to.slice(2).padStart(64, "0")}${word(10 ** 15)}`;
    await this.send({ to: token ?? (await this.token()), gas: 200_000, data });
  }
}
