import {
  type FoundLogs,
  type LogFilter,
  logsOfBlock,
  matches,
} from "../../../../ledger/chain/logs/log-search.ts";
import { equalBytes, isZeroBytes } from "../../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import { ErrorCode, RpcError, refused } from "../../engine/errors.ts";
import type { Caller, HeavyReads } from "../../services/heavy-reads.ts";
import type { LogLimits } from "../../services/limits.ts";
import type { LogQuery } from "../../spec/logs/filters.ts";
import type { BlockNumber } from "../../spec/values/block-ref.ts";
import type { ChainReader } from "../chain/chain-reader.ts";
import type { HeadTexts } from "../chain/head-texts.ts";
import { type FoundText, LogCollector, type LogSource } from "./log-collector.ts";

/** Logs of a range of blocks, both ends included, in their order; `searchLogs` of `ledger/chain` on the node's chain. */
export type LogSearch = (filter: LogFilter, from: bigint, to: bigint) => Iterable<FoundLogs>;

/** Positions of logs in a block: ascending indexes among all its logs. */
export interface LogPlaces {
  readonly blockNumber: bigint;
  readonly places: readonly number[];
}

/** Another place to search logs, for wide ranges. */
export interface WideLogSearch {
  /** Number of blocks from which it is used. */
  readonly atLeast: bigint;
  /**
   * @param max - logs beyond which no more are needed; 0 = all
   * @returns untrusted positions, which are checked against the chain; undefined if it cannot answer, so that the chain itself is searched
   */
  find(
    filter: LogFilter,
    range: { readonly from: bigint; readonly to: bigint },
    max: number,
  ): Promise<readonly LogPlaces[] | undefined>;
}

/** Limits of log searches, and the cache of their responses. */
export interface LogReaderParts {
  readonly reads: HeavyReads;
  readonly texts: HeadTexts;
  readonly limits: LogLimits;
}

/** Searches the logs of the chain for `getLogs` and filters. */
export class LogReader {
  readonly #reader: ChainReader;
  readonly #search: LogSearch;
  readonly #reads: HeavyReads;
  readonly #limits: LogLimits;
  readonly #texts: HeadTexts;
  readonly #wide: WideLogSearch | undefined;

  constructor(
    reader: ChainReader,
    search: LogSearch,
    { reads, texts, limits }: LogReaderParts,
    wide?: WideLogSearch,
  ) {
    this.#reader = reader;
    this.#search = search;
    this.#reads = reads;
    this.#texts = texts;
    this.#limits = limits;
    this.#wide = wide;
  }

  /**
   * The logs that match a query; a promise when that takes long.
   * @throws RpcError -32000 with the reference's texts, -32602 as in geth if the range is too wide
   */
  find(query: LogQuery, caller: Caller): FoundText | never[] | Promise<FoundText> {
    const { chain } = this.#reader;
    if (query.blockHash !== undefined && !isZeroBytes(query.blockHash)) {
      const number = chain.number(query.blockHash);
      if (number === undefined)
        throw refused(`the header does not exist (hash: ${bytesToHex(query.blockHash)})`);
      return this.#inBlock(query, number, caller);
    }
    // The reference keeps the zero hash as no hash, beside a range that it leaves at the genesis block.
    const unnamed = query.blockHash === undefined ? "latest" : 0n;
    const { fromBlock = unnamed, toBlock = unnamed } = query;
    if (fromBlock === "pending" || toBlock === "pending") throw refused("pending logs are not supported");
    const [from, to] = [this.#reader.resolve(fromBlock), this.#reader.resolve(toBlock)];
    if (from < 0n && from <= to) throw refused(`the header does not exist (block number: ${from})`);
    this.#checkRange(from, to);
    const head = chain.head.header.number;
    if (from <= to && to > head) {
      const missing = from > head ? from : head + 1n;
      throw refused(`the header does not exist (block number: ${missing})`);
    }
    const wide = this.#wide;
    if (wide !== undefined && to - from + 1n >= wide.atLeast)
      return this.#findWide(wide, query, from, to, caller);
    const search = (start: bigint) => this.#search(query, start, to);
    return this.#texts.kept(keyOf(query, from, to), () => this.#collect({ chain, search, from }, caller));
  }

  async #findWide(
    wide: WideLogSearch,
    query: LogQuery,
    from: bigint,
    to: bigint,
    caller: Caller,
  ): Promise<FoundText> {
    const { chain } = this.#reader;
    const end = chain.hash(to);
    const found = await wide.find(query, { from, to }, this.#limits.items);
    const search = (start: bigint) => {
      const now = chain.hash(to);
      const isSame = end !== undefined && now !== undefined && equalBytes(end, now);
      if (found === undefined || !isSame) return this.#search(query, start, to);
      return this.#readAt(found, query, start, to);
    };
    return this.#collect({ chain, search, from }, caller);
  }

  /** The chain's logs at the given positions; from the first position without a matching log on, the chain itself is searched. */
  *#readAt(
    found: readonly LogPlaces[],
    query: LogFilter,
    start: bigint,
    to: bigint,
  ): Generator<FoundLogs, undefined> {
    for (const { blockNumber, places } of found) {
      if (blockNumber < start) continue;
      const logs = this.#reader.chain.logs(blockNumber, places);
      if (logs.length < places.length || !logs.every(({ log }) => matches(query, log))) {
        yield* this.#search(query, blockNumber, to);
        return;
      }
      yield { blockNumber, logs };
    }
  }

  #checkRange(from: bigint, to: bigint): void {
    const { range } = this.#limits;
    if (range > 0 && to - from > BigInt(range))
      throw new RpcError(ErrorCode.invalidParams, `exceed maximum block range: ${range}`);
  }

  #inBlock(query: LogQuery, number: bigint, caller: Caller): FoundText | Promise<FoundText> {
    const { chain } = this.#reader;
    const found = [{ blockNumber: number, logs: logsOfBlock(chain, query, number) }];
    const search = (start: bigint) => (start > number ? [] : found);
    return this.#collect({ chain, search, from: number }, caller);
  }

  #collect(place: Omit<LogSource, "maxItems">, caller: Caller): FoundText | Promise<FoundText> {
    const { items: maxItems, timeMs: timeoutMs } = this.#limits;
    return this.#reads.run(
      caller,
      (pace, draft) => new LogCollector({ ...place, maxItems }, pace, draft).collect(),
      { timeoutMs, text: "query timeout exceeded" },
    );
  }
}

/** Cache key of a search. */
function keyOf({ addresses, topics }: LogFilter, from: bigint, to: bigint): string {
  const places = topics.map((alternatives) => alternatives.map(bytesToHex)).join("/");
  return `logs ${from} ${to} ${addresses.map(bytesToHex)} ${topics.length} ${places}`;
}

/** Whether logs of blocks yet to come can match. @throws RpcError -32000 for an invalid range */
export function checkLiveRange({ fromBlock = "latest", toBlock = "latest" }: LogQuery): void {
  if (fromBlock === "pending" || toBlock === "pending") throw refused("pending logs are not supported");
  if (order(fromBlock) > order(toBlock)) throw refused("invalid from and to block combination: from > to");
}

/** `latest` sorts after every number. */
function order(number: BlockNumber): number {
  return typeof number === "bigint" ? Number(number) : Number.POSITIVE_INFINITY;
}
