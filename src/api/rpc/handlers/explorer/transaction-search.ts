import { type Pace, runPaced } from "../../../../platform/runtime/turns/pace.ts";
import type { Receipt } from "../../../../protocol/block/receipt.ts";
import { type Json, stringify } from "../../../../protocol/codec/json/value.ts";
import { type Address, equalBytes } from "../../../../protocol/primitives/bytes.ts";
import { NodeError } from "../../../../protocol/primitives/errors.ts";
import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import type { Transaction } from "../../../../protocol/transaction/transaction.ts";
import { BoundedText } from "../../engine/text/bounded-text.ts";
import type { Draft } from "../../engine/text/draft.ts";
import { addList } from "../../engine/text/list-text.ts";
import type { LocatedReceipt } from "../../render/receipt.ts";
import { senderOf } from "../../render/transaction.ts";
import type { HeavyReads } from "../../services/heavy-reads.ts";
import type { FlatTrace } from "../../spec/debug/flat-traces.ts";
import { MAX_PAGE_SIZE } from "../../spec/explorer/otterscan.ts";
import type { CallContext } from "../../spec/method.ts";
import { JsonText } from "../../spec/values/json-text.ts";
import type { ChainReader, LocatedBlock } from "../chain/chain-reader.ts";
import { locateReceipts } from "../chain/views.ts";
import type { FlatTraces } from "../debug/traces/flat-trace-lists.ts";
import { callerOf } from "../debug/traces/trace-plan.ts";
import type { WaitingCaller } from "../execution/executor.ts";
import type { ExplorerView } from "./explorer-view.ts";

/** What a search reads. */
export interface SearchDeps {
  readonly reader: ChainReader;
  readonly traces: FlatTraces;
  readonly reads: HeavyReads;
  readonly view: ExplorerView;
}

/** Where a search starts, and the size of a page. */
interface SearchArgs {
  readonly address: Address;
  readonly block: bigint;
  readonly size: bigint;
}

/** Gas of a plain transfer of value. */
const PLAIN_GAS = 21_000n;

/**
 * Transactions that involve an account, searched block by block: there is no index of internal calls by account, so transactions
 * that ran code are executed again. Blocks whose state is not available are searched by their transactions alone.
 */
export class TransactionSearch {
  readonly #deps: SearchDeps;

  constructor(deps: SearchDeps) {
    this.#deps = deps;
  }

  /** Transactions in blocks before one, newest first. @throws RpcError -32000, -32005 */
  async before({ address, block, size }: SearchArgs, context: CallContext): Promise<JsonText> {
    const head = this.#deps.reader.chain.head.header.number;
    const from = block === 0n || block > head ? head : block - 1n;
    const firstPage = block === 0n || block > head;
    return this.#collect(address, { from, to: 1n, step: -1n }, size, context, (found, isEnd) => ({
      ...{ found, firstPage, lastPage: isEnd },
    }));
  }

  /** The oldest transactions in blocks after one. @throws RpcError -32000, -32005 */
  async after({ address, block, size }: SearchArgs, context: CallContext): Promise<JsonText> {
    const to = this.#deps.reader.chain.head.header.number;
    return this.#collect(address, { from: block + 1n, to, step: 1n }, size, context, (found, isEnd) => ({
      ...{ found: found.toReversed(), firstPage: isEnd, lastPage: block === 0n },
    }));
  }

  /** Collects blocks with matches until there is a page; `isEnd` tells whether nothing is left beyond it. */
  #collect(
    address: Address,
    { from, to, step }: { readonly from: bigint; readonly to: bigint; readonly step: bigint },
    size: bigint,
    context: CallContext,
    show: (found: readonly LocatedReceipt[][], isEnd: boolean) => Page,
  ): Promise<JsonText> {
    const max = size > MAX_PAGE_SIZE ? MAX_PAGE_SIZE : size;
    const allowance = context.allowance ?? { spentMs: 0 };
    const { limits } = this.#deps.traces;
    const text = `the search took more than ${limits.timeMs / 1000} s: start from a block closer to the transactions`;
    const search = async (pace: Pace, draft: Draft) => {
      const shown = (isEnd: boolean) => runPaced(pace, pageText(show(found, isEnd), this.#deps.view, draft));
      const found: LocatedReceipt[][] = [];
      let count = 0n;
      for (let number = from; step < 0n ? number >= to : number <= to; number += step) {
        if (pace.isDue()) await pace.yield();
        const matches = await this.#matches(number, address, callerOf(context, limits, allowance), pace);
        if (matches.length === 0) continue;
        if (count >= max) return shown(false);
        found.push(matches);
        count += BigInt(matches.length);
      }
      return shown(true);
    };
    return Promise.resolve(this.#deps.reads.run(context, search, { timeoutMs: limits.timeMs, text }));
  }

  /** Transactions of a block that involve an account, newest first. */
  async #matches(
    number: bigint,
    address: Address,
    caller: WaitingCaller,
    pace: Pace,
  ): Promise<LocatedReceipt[]> {
    const { reader } = this.#deps;
    const located = reader.blockAt(number);
    if (located === undefined || located.block.transactions.length === 0) return [];
    const receipts = reader.chain.receipts(number) ?? [];
    const all = locateReceipts(located, receipts, reader.chain.config.chainId);
    const isDirect: boolean[] = [];
    for (const one of all) {
      if (pace.isDue()) await pace.yield();
      isDirect.push(isParty(one, address));
    }
    const mayBeInternal = all.some(({ receipt }, i) => isDirect[i] === false && receipt.gasUsed > PLAIN_GAS);
    const inside = mayBeInternal ? await this.#inside(located, bytesToHex(address), caller, pace) : undefined;
    return all.filter((_, i) => isDirect[i] === true || inside?.has(i)).reverse();
  }

  /** Indexes of the transactions whose internal calls involve an account; none if the state is not available. */
  async #inside(
    { block }: LocatedBlock,
    address: string,
    caller: WaitingCaller,
    pace: Pace,
  ): Promise<ReadonlySet<number>> {
    try {
      const all = await this.#deps.traces.ofBlock(block, caller, pace);
      const fitting = all.filter(({ list }) => list.some((trace) => involves(trace, address)));
      return new Set(fitting.map(({ transactionPosition }) => transactionPosition));
    } catch (error) {
      if (error instanceof NodeError && error.code === "STATE_PRUNED") return new Set();
      throw error;
    }
  }
}

/** A page of transactions: the blocks they were found in, and whether it is the first or last page. */
interface Page {
  readonly found: readonly (readonly LocatedReceipt[])[];
  readonly firstPage: boolean;
  readonly lastPage: boolean;
}

/** Blocks are never split, so a page may have many transactions: they are rendered one per step. */
function* pageText({ found, ...ends }: Page, view: ExplorerView, draft: Draft): Generator<void, JsonText> {
  const text = new BoundedText(draft);
  const all = found.flat();
  text.add(`${stringify(ends).slice(0, -1)},"txs":`);
  yield* addList(
    text,
    rendered(all, (one) => view.transaction(one)),
  );
  text.add(',"receipts":');
  yield* addList(
    text,
    rendered(all, (one) => view.receipt(one)),
  );
  text.add("}");
  return new JsonText(text.finish());
}

function* rendered(all: readonly LocatedReceipt[], show: (one: LocatedReceipt) => Json): Generator<Json> {
  for (const one of all) yield show(one);
}

function isParty(located: LocatedReceipt, address: Address): boolean {
  const parties = partiesOf(located.tx, located.receipt);
  return parties.some((party) => equalBytes(party, address)) || equalBytes(senderOf(located), address);
}

function partiesOf({ to, feePayer }: Transaction, { contractAddress }: Receipt): readonly Address[] {
  return [to, feePayer, contractAddress].filter((party) => party !== undefined);
}

function involves({ action, result }: FlatTrace, address: string): boolean {
  return result?.address === address || Object.values(action).includes(address);
}
