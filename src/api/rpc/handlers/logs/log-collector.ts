import type { Chain } from "../../../../ledger/chain/chain.ts";
import type { FoundLogs } from "../../../../ledger/chain/logs/log-search.ts";
import type { Pace } from "../../../../platform/runtime/turns/pace.ts";
import type { PlacedLog } from "../../../../protocol/block/receipt-codec.ts";
import { type Json, stringify } from "../../../../protocol/codec/json/value.ts";
import { equalBytes, type Hash } from "../../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import { refused } from "../../engine/errors.ts";
import { BoundedText } from "../../engine/text/bounded-text.ts";
import type { Draft } from "../../engine/text/draft.ts";
import { renderLog } from "../../render/receipt.ts";
import { JsonText } from "../../spec/values/json-text.ts";

/** A list of logs, already rendered to text. */
export type FoundText = JsonText;

/** The source of a log search, and its range of blocks. */
export interface LogSource {
  readonly chain: Pick<Chain, "hash" | "transactionHashAt">;
  /** Logs of the blocks from a number on, block by block in their order. */
  readonly search: (from: bigint) => Iterable<FoundLogs>;
  readonly from: bigint;
  /** Maximum logs; 0 = any number. */
  readonly maxItems: number;
}

/** Renders the results of a search in time slices. */
export class LogCollector {
  readonly #source: LogSource;
  readonly #pace: Pace;
  readonly #draft: Draft;
  #text: BoundedText;
  #count = 0;
  #next: bigint;
  /** Hash of the block before `#next`, set whenever the search yields. */
  #before: Hash | undefined;

  /** @param draft - counts the bytes of the text while it is built */
  constructor(source: LogSource, pace: Pace, draft: Draft) {
    this.#source = source;
    this.#pace = pace;
    this.#draft = draft;
    this.#text = new BoundedText(draft);
    this.#next = source.from;
  }

  /**
   * All logs found; a promise when that takes long.
   * @throws RpcError -32000 with the reference's texts, -32003 when their text gets too long
   */
  collect(): FoundText | Promise<FoundText> {
    return this.#advance() ? this.#finish() : this.#rest();
  }

  async #rest(): Promise<FoundText> {
    do {
      await this.#pace.yield();
      this.#checkBranch();
    } while (!this.#advance());
    return this.#finish();
  }

  #finish(): FoundText {
    this.#text.add(this.#count === 0 ? "[]" : "]");
    return new JsonText(this.#text.finish());
  }

  /** @returns whether the search has ended */
  #advance(): boolean {
    for (const { blockNumber, logs } of this.#source.search(this.#next)) {
      if (logs.length > 0) this.#add(blockNumber, logs);
      if (!this.#pace.isDue()) continue;
      this.#next = blockNumber + 1n;
      this.#before = this.#source.chain.hash(blockNumber);
      return false;
    }
    return true;
  }

  /** Starts over if the last block searched is no longer in the chain. */
  #checkBranch(): void {
    const hash = this.#source.chain.hash(this.#next - 1n);
    if (hash !== undefined && this.#before !== undefined && equalBytes(hash, this.#before)) return;
    this.#draft.clear();
    this.#text = new BoundedText(this.#draft);
    this.#count = 0;
    this.#next = this.#source.from;
  }

  /** Adds the logs of a block, which are grouped by transaction. */
  #add(blockNumber: bigint, logs: readonly PlacedLog[]): void {
    const { chain, maxItems } = this.#source;
    if (maxItems > 0 && this.#count + logs.length > maxItems)
      throw refused(`query returned more than ${maxItems} results`);
    const blockHash = bytesToHex(chain.hash(blockNumber) as Hash);
    let index = -1;
    let transactionHash = "";
    for (const { log, transactionIndex, logIndex } of logs) {
      if (transactionIndex !== index) {
        index = transactionIndex;
        transactionHash = bytesToHex(chain.transactionHashAt({ blockNumber, index }) as Hash);
      }
      const place = { blockHash, blockNumber, transactionHash, transactionIndex, logIndex, removed: false };
      this.#text.add(`${this.#count++ === 0 ? "[" : ","}${stringify(renderLog(log, place) as Json)}`);
    }
  }
}
