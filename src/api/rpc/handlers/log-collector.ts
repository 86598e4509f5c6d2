import type { Chain } from "../../../ledger/chain/chain.ts";
import type { FoundLogs } from "../../../ledger/chain/logs/log-search.ts";
import type { PlacedLog } from "../../../protocol/block/receipt-codec.ts";
import { equalBytes, type Hash } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { refused } from "../errors.ts";
import { renderLog } from "../render/receipt.ts";
import type { WireObject } from "../spec/wire-types.ts";

/** The reference's default of `--api.filter.getLogs.maxitems`. */
const MAX_LOGS = 10_000;
/** The reference's default of `--api.filter.getLogs.deadline`. */
const MAX_SEARCH_MS = 10_000;
/** Longest time that a search keeps others waiting. */
const SLICE_MS = 10;

/** Where a search looks for logs, and in which of the blocks. */
export interface LogSource {
  readonly chain: Pick<Chain, "hash" | "transactionHashAt">;
  /** Logs of the blocks from a number on, block by block in their order. */
  readonly search: (from: bigint) => Iterable<FoundLogs>;
  readonly from: bigint;
}

/** Renders what a search finds, a slice of time at a go. */
export class LogCollector {
  readonly #source: LogSource;
  readonly #now: () => number;
  readonly #deadline: number;
  #logs: WireObject[] = [];
  #next: bigint;
  /** Hash of the block before `#next`, once others had their turn. */
  #before: Hash | undefined;

  /** @param now - epoch milliseconds */
  constructor(source: LogSource, now: () => number) {
    this.#source = source;
    this.#now = now;
    this.#deadline = now() + MAX_SEARCH_MS;
    this.#next = source.from;
  }

  /** All logs found; a promise when that takes long. @throws RpcError -32000 with the reference's texts */
  collect(): WireObject[] | Promise<WireObject[]> {
    return this.#advance() ? this.#logs : this.#rest();
  }

  async #rest(): Promise<WireObject[]> {
    do {
      await new Promise<void>((resolve) => setImmediate(resolve));
      this.#checkBranch();
    } while (!this.#advance());
    return this.#logs;
  }

  /** @returns whether the search has ended */
  #advance(): boolean {
    const pause = this.#now() + SLICE_MS;
    for (const { blockNumber, logs } of this.#source.search(this.#next)) {
      if (logs.length > 0) this.#add(blockNumber, logs);
      if (this.#now() <= pause) continue;
      if (this.#now() > this.#deadline) throw refused("query timeout exceeded");
      this.#next = blockNumber + 1n;
      this.#before = this.#source.chain.hash(blockNumber);
      return false;
    }
    return true;
  }

  /** Begins anew when the last block that was looked at has left the chain meanwhile. */
  #checkBranch(): void {
    const hash = this.#source.chain.hash(this.#next - 1n);
    if (hash !== undefined && this.#before !== undefined && equalBytes(hash, this.#before)) return;
    this.#logs = [];
    this.#next = this.#source.from;
  }

  /** Adds logs of a block; those of a transaction follow each other. */
  #add(blockNumber: bigint, logs: readonly PlacedLog[]): void {
    if (this.#logs.length + logs.length > MAX_LOGS)
      throw refused(`query returned more than ${MAX_LOGS} results`);
    const { chain } = this.#source;
    const blockHash = bytesToHex(chain.hash(blockNumber) as Hash);
    let index = -1;
    let transactionHash = "";
    for (const { log, transactionIndex, logIndex } of logs) {
      if (transactionIndex !== index) {
        index = transactionIndex;
        transactionHash = bytesToHex(chain.transactionHashAt({ blockNumber, index }) as Hash);
      }
      const place = { blockHash, blockNumber, transactionHash, transactionIndex, logIndex, removed: false };
      this.#logs.push(renderLog(log, place));
    }
  }
}
