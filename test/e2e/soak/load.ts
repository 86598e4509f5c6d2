import { Wallet } from "ethers";
import { WebSocket } from "ws";
import { rpcCall } from "../json-rpc.ts";
import type { StartedNode } from "../started-node.ts";

const TRANSACTIONS_PER_SECOND = 20;
const CALLS_PER_SECOND = 50;
const SUBSCRIPTIONS = 20;
const GAS_PRICE = "0x174876e800";
/** Emits one log without topics or data: 0 0 LOG0. */
const LOGGER = "0x60006000a000";
const CONTRACT = `0x${"10".repeat(20)}`;

/** Counts of a load so far. */
export interface LoadTally {
  transactions: number;
  calls: number;
  events: number;
  /** Failed calls and transactions, by error message. */
  readonly failures: Map<string, number>;
  /** Duration of each `eth_call` in milliseconds, in order. */
  readonly latencies: number[];
}

/** Typical clients: transactions with logs, various reads, and subscriptions of every kind. */
export class Load {
  readonly tally: LoadTally = { transactions: 0, calls: 0, events: 0, failures: new Map(), latencies: [] };
  readonly #node: StartedNode;
  readonly #wallets: readonly Wallet[];
  readonly #nonces: number[];
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #sockets: WebSocket[] = [];
  readonly #underWay = new Set<Promise<void>>();
  #turn = 0;

  constructor(node: StartedNode) {
    this.#node = node;
    this.#wallets = node.accounts.map(({ privateKey }) => new Wallet(privateKey));
    this.#nonces = this.#wallets.map(() => 0);
  }

  async start(): Promise<void> {
    await rpcCall(this.#node.endpoints.http, "hardhat_setCode", CONTRACT, LOGGER);
    for (let i = 0; i < SUBSCRIPTIONS; i++) await this.#subscribe(i);
    this.#timers.push(setInterval(() => this.#run(this.#send()), 1000 / TRANSACTIONS_PER_SECOND));
    this.#timers.push(setInterval(() => this.#run(this.#read()), 1000 / CALLS_PER_SECOND));
  }

  /** Stops the load; resolves once all calls have returned. */
  async end(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await Promise.all(this.#underWay);
    for (const socket of this.#sockets) socket.terminate();
  }

  #run(work: Promise<void>): void {
    const { failures } = this.tally;
    const done = work
      .catch(({ message }: Error) => void failures.set(message, (failures.get(message) ?? 0) + 1))
      .finally(() => this.#underWay.delete(done));
    this.#underWay.add(done);
  }

  async #send(): Promise<void> {
    const i = this.#turn++ % this.#wallets.length;
    const nonce = this.#nonces[i] as number;
    this.#nonces[i] = nonce + 1;
    const { chainId, endpoints } = this.#node;
    const raw = await (this.#wallets[i] as Wallet).signTransaction({
      ...{ type: 0, chainId, nonce, gasLimit: 100_000, gasPrice: GAS_PRICE, to: CONTRACT },
    });
    await rpcCall(endpoints.http, "eth_sendRawTransaction", raw);
    this.tally.transactions++;
  }

  async #read(): Promise<void> {
    const url = this.#node.endpoints.http;
    const address = this.#node.accounts[0]?.address ?? "";
    const began = performance.now();
    const kinds: readonly (() => Promise<unknown>)[] = [
      () => rpcCall(url, "eth_call", { to: CONTRACT, from: address }, "latest"),
      () => rpcCall(url, "eth_getBalance", address, "latest"),
      () => rpcCall(url, "eth_getBlockByNumber", "latest", true),
      () => rpcCall(url, "eth_getLogs", { fromBlock: "latest", address: CONTRACT }),
      () => rpcCall(url, "eth_estimateGas", { to: CONTRACT, from: address }),
    ];
    const kind = this.tally.calls++ % kinds.length;
    await (kinds[kind] as () => Promise<unknown>)();
    if (kind === 0) this.tally.latencies.push(performance.now() - began);
  }

  async #subscribe(i: number): Promise<void> {
    const socket = new WebSocket(this.#node.endpoints.ws);
    await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
    this.#sockets.push(socket);
    socket.on("message", () => this.tally.events++);
    const kinds = [["newHeads"], ["logs", { address: CONTRACT }], ["newPendingTransactions"]];
    socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_subscribe", params: kinds[i % 3] }));
  }
}
