import { type LocatedLog, type LogFilter, logsOfBlock } from "../../../ledger/chain/log-search.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { transactionHash } from "../../../protocol/transaction/hash.ts";
import { refused } from "../errors.ts";
import { renderLog } from "../render/receipt.ts";
import type { BlockNumber } from "../spec/block-ref.ts";
import type { LogQuery } from "../spec/filters.ts";
import type { WireObject } from "../spec/wire-types.ts";
import type { ChainReader } from "./chain-reader.ts";

/** Logs of a range of blocks, both ends included, in their order; `searchLogs` of `ledger/chain` on the node's chain. */
export type LogSearch = (filter: LogFilter, from: bigint, to: bigint) => Iterable<LocatedLog>;

const MAX_LOGS = 10_000;
const MAX_SEARCH_MS = 10_000;
/** Logs found between two looks at the clock. */
const LOOK_EVERY = 64;

/** Searches the logs of the chain for `getLogs` and filters. */
export class LogReader {
  readonly #reader: ChainReader;
  readonly #search: LogSearch;
  readonly #now: () => number;

  /** @param now epoch milliseconds */
  constructor(reader: ChainReader, search: LogSearch, now: () => number) {
    this.#reader = reader;
    this.#search = search;
    this.#now = now;
  }

  /** @throws RpcError -32000 with the reference's texts */
  find(query: LogQuery): WireObject[] {
    if (query.blockHash !== undefined) return this.#inBlock(query, query.blockHash);
    const { fromBlock = "latest", toBlock = "latest" } = query;
    if (fromBlock === "pending" || toBlock === "pending") throw refused("pending logs are not supported");
    const [from, to] = [this.#reader.resolve(fromBlock), this.#reader.resolve(toBlock)];
    return this.#collect(this.#search(query, from, to));
  }

  #inBlock(query: LogQuery, hash: Uint8Array): WireObject[] {
    const { chain } = this.#reader;
    const number = chain.number(hash);
    if (number === undefined) return [];
    return this.#collect(logsOfBlock({ receipts: (at) => chain.receipts(at) as never }, query, number));
  }

  #collect(found: Iterable<LocatedLog>): WireObject[] {
    const deadline = this.#now() + MAX_SEARCH_MS;
    const logs: WireObject[] = [];
    for (const located of found) {
      if (logs.length === MAX_LOGS) throw refused(`query returned more than ${MAX_LOGS} results`);
      if (logs.length % LOOK_EVERY === 0 && this.#now() > deadline) throw refused("query timeout exceeded");
      logs.push(this.#render(located));
    }
    return logs;
  }

  #render({ log, blockNumber, transactionIndex, logIndex }: LocatedLog): WireObject {
    const block = this.#reader.blockAt(blockNumber);
    const tx = block?.block.transactions[transactionIndex];
    return renderLog(log, {
      ...{ blockNumber, transactionIndex, logIndex, removed: false },
      blockHash: bytesToHex(block?.hash ?? new Uint8Array(32)),
      transactionHash: tx === undefined ? "0x" : bytesToHex(transactionHash(tx)),
    });
  }
}

/** Whether logs of blocks yet to come can match. @throws RpcError -32000 for a range that makes no sense */
export function checkLiveRange({ fromBlock = "latest", toBlock = "latest" }: LogQuery): void {
  if (fromBlock === "pending" || toBlock === "pending") throw refused("pending logs are not supported");
  if (order(fromBlock) > order(toBlock)) throw refused("invalid from and to block combination: from > to");
}

/** `latest` stands after every number. */
function order(number: BlockNumber): number {
  return typeof number === "bigint" ? Number(number) : Number.POSITIVE_INFINITY;
}
