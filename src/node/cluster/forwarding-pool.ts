import { RpcError, refused } from "../../api/rpc/engine/errors.ts";
import type { PoolContents, TransactionOrigin, TransactionPool } from "../../ledger/txpool/pool.ts";
import type { HttpClient, HttpResponse } from "../../platform/intake/http-client.ts";
import { secretsOf, withoutSecrets } from "../../platform/intake/secrets.ts";
import { isObject, type Json } from "../../protocol/codec/json/value.ts";
import type { Address, Hash } from "../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { encodeTransaction, transactionHash } from "../../protocol/transaction/envelope.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";
import { checkedUrl } from "./own-url.ts";

/** Timeout of the writer's response. */
const TIMEOUT_MS = 10_000;
/** Maximum bytes of its response. */
const MAX_RESPONSE_BYTES = 64 << 10;
/** Maximum transactions in flight to the writer. */
const MAX_IN_FLIGHT = 1_024;

/** Forwards transactions to the writer and passes on its response; everything else is left to the local pool. */
export class ForwardingPool implements TransactionPool {
  readonly #own: TransactionPool;
  readonly #client: HttpClient;
  readonly #target: () => string | undefined;
  /** Hashes of transactions in flight. */
  readonly #inFlight = new Set<string>();

  /** @param target - JSON-RPC URL of the writer; empty if unknown, undefined while this node seals the blocks itself */
  constructor(own: TransactionPool, client: HttpClient, target: () => string | undefined) {
    this.#own = own;
    this.#client = client;
    this.#target = target;
  }

  /** @throws RpcError with the other node's code and text, or -32000 when it cannot be reached */
  async add(transaction: Transaction, origin: TransactionOrigin): Promise<Hash> {
    const target = this.#target();
    if (target === undefined) return this.#own.add(transaction, origin);
    if (target === "") throw refused("this node only follows and knows no node to send the transaction to");
    const hash = transactionHash(transaction);
    const name = bytesToHex(hash);
    if (this.#inFlight.has(name))
      throw refused(
        "the transaction is on its way already, or came back: does the writer's address lead here?",
      );
    if (this.#inFlight.size >= MAX_IN_FLIGHT) throw refused("too many transactions wait for the writer");
    this.#inFlight.add(name);
    try {
      const answer = await this.#send(writerUrl(target), bytesToHex(encodeTransaction(transaction)));
      if (answer.toLowerCase() !== name) throw refused("the writer returned another hash");
    } finally {
      this.#inFlight.delete(name);
    }
    return hash;
  }

  async recoverAhead(transactions: readonly Transaction[]): Promise<void> {
    if (this.#target() === undefined) await this.#own.recoverAhead(transactions);
  }

  async addAll(transactions: readonly Transaction[], origin: TransactionOrigin): Promise<(Hash | Error)[]> {
    if (this.#target() === undefined) return this.#own.addAll(transactions, origin);
    const hashes: (Hash | Error)[] = [];
    for (const transaction of transactions)
      hashes.push(await this.add(transaction, origin).catch((error: Error) => error));
    return hashes;
  }

  get(hash: Hash): Transaction | undefined {
    return this.#own.get(hash);
  }

  isPending(hash: Hash): boolean | undefined {
    return this.#own.isPending(hash);
  }

  senderOf(transaction: Transaction): Address {
    return this.#own.senderOf(transaction);
  }

  nonce(address: Address): bigint {
    return this.#own.nonce(address);
  }

  content(): PoolContents {
    return this.#own.content();
  }

  contentOf(address: Address): ReturnType<TransactionPool["contentOf"]> {
    return this.#own.contentOf(address);
  }

  status(): ReturnType<TransactionPool["status"]> {
    return this.#own.status();
  }

  get version(): number {
    return this.#own.version;
  }

  executable(baseFee: bigint, lowestPrice?: bigint): Iterable<Transaction> {
    return this.#own.executable(baseFee, lowestPrice);
  }

  remove(transactions: Iterable<Transaction>): void {
    this.#own.remove(transactions);
  }

  journalSettled(): Promise<void> | undefined {
    return this.#own.journalSettled();
  }

  onPending(listener: (transactions: readonly Transaction[]) => void): () => void {
    return this.#own.onPending(listener);
  }

  async #send(url: URL, raw: string): Promise<string> {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "kaia_sendRawTransaction", params: [raw] });
    const headers = { "Content-Type": "application/json" };
    let response: HttpResponse;
    try {
      response = await this.#client.post({
        url,
        headers,
        body,
        timeoutMs: TIMEOUT_MS,
        most: MAX_RESPONSE_BYTES,
      });
    } catch (error) {
      throw refused(`the node that seals the blocks cannot be reached: ${(error as Error).message}`);
    }
    const answer = parsed(response.body.toString());
    const { result, error } = answer;
    if (typeof result === "string") return result;
    if (error !== undefined && isObject(error) && typeof error["message"] === "string")
      throw new RpcError(
        codeOf(error["code"]),
        withoutSecrets(error["message"], secretsOf(url)),
        error["data"],
      );
    throw refused("the writer returned an invalid response");
  }
}

/** @throws RpcError if it is invalid */
function writerUrl(text: string): URL {
  try {
    return checkedUrl(text);
  } catch (error) {
    throw refused((error as Error).message);
  }
}

function codeOf(code: Json | undefined): number {
  return Number.isSafeInteger(code) && code !== 0 ? (code as number) : -32_000;
}

function parsed(text: string): { readonly [key: string]: Json } {
  try {
    const value: Json = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
