import { atPace, type Pace } from "../../../../../platform/runtime/turns/pace.ts";
import type { Block } from "../../../../../protocol/block/block.ts";
import type { Hash } from "../../../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../../../protocol/primitives/hex.ts";
import { refused } from "../../../engine/errors.ts";
import type { FlatTrace, PlacedFlatTrace } from "../../../spec/debug/flat-traces.ts";
import type { ChainReader, LocatedBlock } from "../../chain/chain-reader.ts";
import type { WaitingCaller } from "../../execution/executor.ts";
import { type BlockTraces, checkSize } from "./block-traces.ts";
import { parseList } from "./long-list.ts";
import { planOf, shownTrace } from "./trace-plan.ts";

/** The list of a transaction with the place of that in its block. */
interface TransactionTraces {
  readonly transactionHash: string;
  readonly transactionPosition: number;
  readonly list: readonly FlatTrace[];
}

/** Where the lists come from. */
export interface FlatTraceSources {
  readonly reader: ChainReader;
  readonly blocks: BlockTraces;
}

/** Options under which a transaction is shown as a list. */
const FLAT_CONFIG = { tracer: "flatCallTracer", timeout: "30s" };
/** Characters of the lists of one request: they are read on the main thread, and kept until it is answered. */
export const MOST_CHARACTERS = 32_000_000;
/** The lists of transactions of the chain. */
export class FlatTraces {
  readonly #deps: FlatTraceSources;

  constructor(deps: FlatTraceSources) {
    this.#deps = deps;
  }

  /** The lists of all transactions of a block. @throws RpcError -32000, -32005 */
  async ofBlock(block: Block, patience: WaitingCaller, pace: Pace): Promise<readonly TransactionTraces[]> {
    if (block.transactions.length === 0) return [];
    const shown = await this.#deps.blocks.trace(block, FLAT_CONFIG, "refused", patience);
    checkSize(
      shown.reduce((sum, trace) => sum + trace.shown.length, 0),
      MOST_CHARACTERS,
    );
    const all: TransactionTraces[] = [];
    for (const { hash: transactionHash, shown: list, isFailed } of shown) {
      if (isFailed) throw refused(`transaction ${transactionHash}: ${list}`);
      const place = { transactionHash, transactionPosition: all.length };
      all.push({ ...place, list: await parseList<FlatTrace>(list, pace) });
    }
    return all;
  }

  /** All lists of a block as one, each element with where it belongs. @throws RpcError -32000, -32005 */
  async located(
    { block, hash }: LocatedBlock,
    patience: WaitingCaller,
    pace: Pace,
  ): Promise<readonly PlacedFlatTrace[]> {
    const all: PlacedFlatTrace[] = [];
    for (const transaction of await this.ofBlock(block, patience, pace)) {
      await atPace(pace, addPlaced(all, transaction, { block, hash }));
    }
    return all;
  }

  /** The list of a transaction; undefined when it is not in the chain. @throws RpcError -32000, -32005 */
  async replayed(hash: Hash, patience: WaitingCaller, pace: Pace): Promise<TransactionTraces | undefined> {
    const { reader, blocks } = this.#deps;
    const place = reader.chain.locate(hash);
    if (place === undefined) return undefined;
    const plan = planOf(FLAT_CONFIG, "refused");
    const block = reader.requireBlock({ number: place.blockNumber }).block;
    const { text } = await shownTrace(plan.timeoutText, () =>
      blocks.traceOne(block, place.index, plan, patience),
    );
    checkSize(text.length, MOST_CHARACTERS);
    const list = await parseList<FlatTrace>(text, pace);
    return { transactionHash: bytesToHex(hash), transactionPosition: place.index, list };
  }

  /** That list, each element with where it belongs; null when there is none. @throws RpcError -32000, -32005 */
  async ofTransaction(
    hash: Hash,
    patience: WaitingCaller,
    pace: Pace,
  ): Promise<readonly PlacedFlatTrace[] | null> {
    const { reader } = this.#deps;
    const place = reader.chain.locate(hash);
    if (place === undefined) return null;
    const located = reader.requireBlock({ number: place.blockNumber });
    const transaction = await this.replayed(hash, patience, pace);
    if (transaction === undefined) return null;
    const all: PlacedFlatTrace[] = [];
    await atPace(pace, addPlaced(all, transaction, located));
    return all;
  }
}

/** Adds the list of a transaction, one element a step. */
function* addPlaced(
  all: PlacedFlatTrace[],
  { list, ...place }: TransactionTraces,
  { block, hash }: Pick<LocatedBlock, "block" | "hash">,
): Generator<void> {
  const ofBlock = { blockHash: bytesToHex(hash), blockNumber: Number(block.header.number) };
  for (const trace of list) {
    all.push({ ...trace, ...ofBlock, ...place });
    yield;
  }
}
