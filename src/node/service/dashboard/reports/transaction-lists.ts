import type { HistoryPage, TransactionRow } from "../../../../api/rpc/spec/dashboard/wire.ts";
import type { Chain } from "../../../../ledger/chain/chain.ts";
import type { Pace } from "../../../../platform/runtime/turns/pace.ts";
import type { Address } from "../../../../protocol/primitives/bytes.ts";
import { hexQuantity } from "../../../../protocol/primitives/hex.ts";
import { MAX_UINT64 } from "../../../../protocol/primitives/integers.ts";
import { type RowContext, transactionRow } from "./rows.ts";

/** Blocks scanned for one page of transactions. */
const MAX_SCANNED_BLOCKS = 2_000;

/** Rows, and where they begin. */
export interface Page {
  readonly count: number;
  /** A number that all of them are below. */
  readonly before?: number | undefined;
}

/** Transactions of an account, and the nonce that all of theirs are below. */
interface SenderPage {
  readonly address: Address;
  readonly count: number;
  readonly before?: bigint | undefined;
}

/**
 * Lists of transactions of the chain. Only the transactions shown are read from each block, yielding to other work between them: the
 * cost of a page depends on its rows, however full its blocks are.
 */
export class TransactionLists {
  readonly #chain: Chain;
  readonly #context: () => RowContext;

  constructor(chain: Chain, context: () => RowContext) {
    this.#chain = chain;
    this.#context = context;
  }

  /** Those of the newest blocks, newest first. */
  async newest({ count, before }: Page, pace: Pace): Promise<TransactionRow[]> {
    const rows: TransactionRow[] = [];
    const first = newestNumber(this.#chain, before);
    const last = first > BigInt(MAX_SCANNED_BLOCKS) ? first - BigInt(MAX_SCANNED_BLOCKS) : 0n;
    for (let number = first; number >= last && rows.length < count; number--) {
      if (pace.isDue()) await pace.yield();
      if ((this.#chain.header(number)?.gasUsed ?? 0n) === 0n) continue;
      for (let index = this.#countOf(number) - 1; index >= 0 && rows.length < count; index--)
        await this.#add(rows, number, index, pace);
    }
    return rows;
  }

  /** Those of a block in their order. */
  async ofBlock(
    { number, count, from = 0 }: { number: number; count: number; from?: number | undefined },
    pace: Pace,
  ): Promise<TransactionRow[]> {
    const rows: TransactionRow[] = [];
    for (let index = from; rows.length < count; index++)
      if (!(await this.#add(rows, BigInt(number), index, pace))) break;
    return rows;
  }

  /** Those that an account has sent, newest first. */
  async ofSender({ address, count, before }: SenderPage, pace: Pace): Promise<HistoryPage> {
    const rows: TransactionRow[] = [];
    let next: HistoryPage["next"] = null;
    if (before === 0n) return { rows, next };
    const to = before ?? MAX_UINT64;
    const range = { from: 0n, to, newestFirst: true };
    // Collect all positions first: they are valid only until the next block is committed.
    const places = [];
    for (const place of this.#chain.sent(address, range)) if (places.push(place) === count) break;
    for (const { blockNumber, index } of places) {
      const nonce = this.#chain.transaction({ blockNumber, index })?.nonce ?? 0n;
      if (!(await this.#add(rows, blockNumber, index, pace))) break;
      next = nonce > 0n ? hexQuantity(nonce) : null;
    }
    return { rows, next: rows.length === count ? next : null };
  }

  #countOf(number: bigint): number {
    return this.#chain.block(number)?.transactions.length ?? 0;
  }

  /** @returns whether there is such a transaction */
  async #add(rows: TransactionRow[], blockNumber: bigint, index: number, pace: Pace): Promise<boolean> {
    if (pace.isDue()) await pace.yield();
    const place = { blockNumber, index };
    const tx = this.#chain.transaction(place);
    if (tx === undefined) return false;
    const receipt = this.#chain.receipt(place)?.receipt;
    rows.push(transactionRow({ ...place, tx, receipt }, this.#context()));
    return true;
  }
}

/** The newest block below a number, or the newest of all if none is given. */
export function newestNumber(chain: Pick<Chain, "head">, before: number | undefined): bigint {
  const { number } = chain.head.header;
  return before === undefined || BigInt(before) > number ? number : BigInt(before) - 1n;
}
